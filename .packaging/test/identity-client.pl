#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Prints the client that the daemon takes this process for, and what the process gets from the daemon.
# Written in Perl, because a minimal Debian contains Perl.
# usage: identity-client.pl
# prints: OWN USER ID; CLIENT; ROLE; ACCESS ON THE SOCKET; ACCESS OVER TCP
use strict;
use warnings;
use IO::Socket::INET;
use IO::Socket::UNIX;

# Sends a request, and returns the reply until it matches a pattern or ends.
sub ask {
  my ($socket, $request, $pattern) = @_;
  return '' unless $socket && defined $socket->syswrite($request);
  my $reply = '';
  while ($reply !~ $pattern && $socket->sysread($reply, 65536, length $reply)) {}
  return $reply;
}

sub get {
  my $socket = IO::Socket::UNIX->new('/run/fixcast/fixcast.sock');
  # The daemon ends the connection after the reply.
  return ask($socket, "GET $_[0] HTTP/1.1\r\nHost: fixcast\r\n\r\n", qr/(?!)/);
}

# Summarizes a reply: the position, or the client to which the daemon refuses it.
sub summary {
  my ($reply) = @_;
  return 'position' if $reply =~ /"lat":/;
  return "nothing as $1" if $reply =~ /location access for ([^"]*) has not been decided/;
  return $reply eq '' ? 'no connection' : "unexpected: $reply";
}

# A safeguard against a reply that never comes.
alarm 60;
my ($client) = get('/v1/status') =~ /"client":"([^"]*)"/;
my ($role) = get('/v1/authorization') =~ /"role":"([^"]*)"/;
my $location = summary(get('/v1/location?purpose=test'));
my $gpsd = IO::Socket::INET->new('127.0.0.1:2947');
my $reports = ask($gpsd, qq(?WATCH={"enable":true,"json":true};\n), qr/"lat":|"class":"ERROR"/);
print join('; ', $>, $client // 'unknown', $role // 'none', $location, summary($reports)), "\n";
