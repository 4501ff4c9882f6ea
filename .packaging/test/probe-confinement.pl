#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Tries what the unit is to refuse and what it is to let through, and says of each whether it could.
# As a sink of the service it is under the unit's rules as the service itself is, which starts it; run
# by hand it is under none. In perl, since the smallest Debian has it.
# usage: confined FILE        (what it could goes there)
#        confined --machine   (only whether it knows this machine's system calls)
use strict;
use warnings;
use Config;
use Socket;

my ($told) = @ARGV;
my @lines;

sub try_to {
  my ($what, $could) = @_;
  push @lines, "$what\t" . ($could ? "done" : "$!");
}
sub write_to { open(my $file, '>', "$_[0]/tried") }
sub open_to { sysopen(my $file, $_[0], $_[1]) }
sub make_socket { socket(my $socket, $_[0], $_[1], 0) }
# The kernel's numbers for this program, which may be another machine's than the kernel itself.
my ($machine) = split /-/, $Config{archname};
my %calls_of = (
  x86_64 => {unshare => 272, mmap => 9, personality => 135, ptrace => 101, setpriority => 141},
  aarch64 => {unshare => 97, mmap => 222, personality => 92, ptrace => 117, setpriority => 140},
);
# Another's would be other calls, which are refused or not for reasons of their own.
my %calls = %{$calls_of{$machine} // die "confined: the system calls of $machine have no numbers here\n"};
exit 0 if $told eq '--machine';
sub call { my $name = shift; syscall($calls{$name}, @_) != -1 }
# In a process of its own, which is changed by it.
sub apart {
  my $body = shift;
  my $child = open(my $pipe, '-|') // return;
  if ($child == 0) {
    print $body->() ? "done" : 0 + $!;
    exit 0;
  }
  my $said = <$pipe> // '';
  close $pipe;
  return 1 if $said eq 'done';
  $! = $said || 5;
  return;
}

try_to("may write its state", write_to("/var/lib/fixcast"));
try_to("may write beside its socket", write_to("/run/fixcast"));
try_to("may write to /tmp", write_to("/tmp"));
try_to("may write to /dev/null", open_to("/dev/null", 1));
try_to("may open a terminal", open_to("/dev/pts/ptmx", 2));
try_to("may open a serial port", open_to("/dev/ttyS0", 2048 | 2));
try_to("may see another's control group", open_to("/proc/1/cgroup", 0));
try_to("may know the boot", open_to("/proc/sys/kernel/random/boot_id", 0));
try_to("may make a socket of udev's kind", make_socket(16, SOCK_RAW));

# Everybody may write these.
try_to("write to /etc", write_to("/etc/open"));
try_to("write to /usr", write_to("/usr/open"));
try_to("write to /srv", write_to("/srv/open"));
try_to("write to /var/log", write_to("/var/log/open"));
try_to("write to /run", write_to("/run/open"));
try_to("write to /home", write_to("/home/open"));
try_to("read /home", open_to("/home/open/file", 0));
try_to("see the /tmp of all", open_to("/tmp/of-all", 0));
try_to("open a device that is no receiver", open_to("/dev/box-other", 1));
try_to("make a packet socket", make_socket(17, SOCK_DGRAM) || $! == 1);
try_to("become root by a program", apart(sub { `/usr/open/id -u` eq "0\n" }));
try_to("make such a program", do {
  open(my $file, '>', "/var/lib/fixcast/set") && chmod 06755, "/var/lib/fixcast/set";
});
try_to("make namespaces", apart(sub { call("unshare", 0x10000000) }));
try_to("write what it executes", apart(sub { call("mmap", 0, 4096, 7, 0x22, -1, 0) }));
try_to("take on a personality", apart(sub { call("personality", 0x0400000) }));
try_to("be traced", apart(sub { call("ptrace", 0, 0, 0, 0) }));
try_to("be nicer", apart(sub { call("setpriority", 0, 0, 5) && getpriority(0, 0) == 5 }));

open(my $file, '>', $told) or die "$told: $!\n";
print $file "$_\n" for @lines;
close $file or die "$told: $!\n";
print STDERR "all is tried\n";
# The rest of a sink's life, where it is one.
$| = 1;
print qq({"class":"HELLO","protocol":1}\n);
1 while <STDIN>;
