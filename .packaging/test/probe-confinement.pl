#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Attempts operations that the unit must allow or deny, and writes the result of each to a file. As a
# sink of the service, the script runs under the rules of the unit; run by hand, it runs without them.
# Written in Perl, because a minimal Debian contains Perl.
# usage: probe-confinement.pl FILE        (writes the results to FILE)
#        probe-confinement.pl --machine   (only checks that this machine's system calls are known)
use strict;
use warnings;
use Config;
use Socket;

my ($output) = @ARGV;
my @lines;

sub attempt {
  my ($operation, $succeeded) = @_;
  push @lines, "$operation\t" . ($succeeded ? "done" : "$!");
}
sub write_to { open(my $file, '>', "$_[0]/tried") }
# open_to(PATH, FLAGS): the flags are 1 for O_WRONLY, 2 for O_RDWR and 2048 for O_NONBLOCK.
sub open_to { sysopen(my $file, $_[0], $_[1]) }
sub make_socket { socket(my $socket, $_[0], $_[1], 0) }
# The system call numbers of this program's architecture, which may differ from the kernel's.
my ($machine) = split /-/, $Config{archname};
my %calls_of = (
  x86_64 => {unshare => 272, mmap => 9, personality => 135, ptrace => 101, setpriority => 141},
  aarch64 => {unshare => 97, mmap => 222, personality => 92, ptrace => 117, setpriority => 140},
);
# On an unknown architecture, these numbers would be other system calls, so the script exits.
my %calls = %{$calls_of{$machine} // die "probe-confinement: unknown system call numbers for $machine\n"};
exit 0 if $output eq '--machine';
sub call { my $name = shift; syscall($calls{$name}, @_) != -1 }
# Runs an operation in a child process, because the operation changes the process.
sub in_child {
  my $body = shift;
  my $child = open(my $pipe, '-|') // return;
  if ($child == 0) {
    print $body->() ? "done" : 0 + $!;
    exit 0;
  }
  my $result = <$pipe> // '';
  close $pipe;
  return 1 if $result eq 'done';
  $! = $result || 5;
  return;
}

attempt("may write to its state directory", write_to("/var/lib/fixcast"));
attempt("may write to the folder of its socket", write_to("/run/fixcast"));
attempt("may write to /tmp", write_to("/tmp"));
attempt("may write to /dev/null", open_to("/dev/null", 1));
attempt("may open a terminal", open_to("/dev/pts/ptmx", 2));
attempt("may open a serial port", open_to("/dev/ttyS0", 2048 | 2));
attempt("may open a port of major $_", open_to("/dev/late-$_", 2048)) foreach qw(166 188 204 207 216);
attempt("may read the control group of another process", open_to("/proc/1/cgroup", 0));
attempt("may read the boot ID", open_to("/proc/sys/kernel/random/boot_id", 0));
attempt("may make a netlink socket", make_socket(16, SOCK_RAW));

# Outside the unit, these attempts succeed for every user. Inside the unit, each attempt must fail.
attempt("write to /etc", write_to("/etc/open"));
attempt("write to /usr", write_to("/usr/open"));
attempt("write to /srv", write_to("/srv/open"));
attempt("write to /var/log", write_to("/var/log/open"));
attempt("write to /run", write_to("/run/open"));
attempt("write to /home", write_to("/home/open"));
attempt("read /home", open_to("/home/open/file", 0));
attempt("read the shared /tmp", open_to("/tmp/of-all", 0));
attempt("open a device that is not a receiver", open_to("/dev/box-other", 1));
# Outside the unit, the call fails with EPERM (1), because it requires a capability.
attempt("make a packet socket", make_socket(17, SOCK_DGRAM) || $! == 1);
attempt("become root with a setuid program", in_child(sub { `/usr/open/id -u` eq "0\n" }));
attempt("make a setuid program", do {
  open(my $file, '>', "/var/lib/fixcast/set") && chmod 06755, "/var/lib/fixcast/set";
});
attempt("make namespaces", in_child(sub { call("unshare", 0x10000000) }));
attempt("map writable and executable memory", in_child(sub { call("mmap", 0, 4096, 7, 0x22, -1, 0) }));
attempt("change the personality", in_child(sub { call("personality", 0x0400000) }));
attempt("be traced", in_child(sub { call("ptrace", 0, 0, 0, 0) }));
attempt("change the nice value", in_child(sub { call("setpriority", 0, 0, 5) && getpriority(0, 0) == 5 }));

open(my $file, '>', $output) or die "$output: $!\n";
print $file "$_\n" for @lines;
close $file or die "$output: $!\n";
print STDERR "all attempts finished\n";
# As a sink: starts the plugin protocol, and reads events until the service closes the input.
$| = 1;
print qq({"class":"HELLO","protocol":1}\n);
1 while <STDIN>;
