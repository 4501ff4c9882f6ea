# SPDX-License-Identifier: Apache-2.0
"""Servers of a fleet on loopback, in a temporary folder: brokers, PostgreSQL, consumers."""
import itertools, os, pathlib, pwd, shutil, signal, socket, subprocess, sys, time, urllib.request

RABBITMQ = next(iter(sorted(pathlib.Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*"))), None)
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
# Ports of a network namespace, below those that the kernel gives to clients.
PORTS = itertools.count(20_000)


def enter_namespace(*options):
    """Runs the script again in a network namespace, in which no other program takes its ports.

    `options` are further options of unshare(1). A user who may not create namespaces keeps the ports
    of the machine, and is refused if there are options.
    """
    if "FLEET_NAMESPACE" in os.environ:
        return
    command = ["unshare", "--net", *options]
    if subprocess.run([*command, "ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL).returncode:
        if options:
            sys.exit(f"{sys.argv[0]}: needs root and network namespaces")
        return
    os.environ["FLEET_NAMESPACE"] = "private"
    script = 'ip link set lo up && exec "$@"'
    os.execvp("unshare", [*command, "sh", "-c", script, "sh", sys.executable, "-B", *sys.argv])


def free_ports(count):
    if "FLEET_NAMESPACE" in os.environ:
        return list(itertools.islice(PORTS, count))
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait_for_port(port, seconds=600):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"nothing listens on port {port} after {seconds} s")


class Server:
    """A process that can be killed and started again."""

    def __init__(self, name, folder, command, env=None, user=None, port=None):
        self.name, self.folder, self.command = name, folder, [str(word) for word in command]
        self.env, self.user, self.port, self.process = env, user, port, None

    def start(self):
        log = open(self.folder / (self.name + ".log"), "ab")
        self.process = subprocess.Popen(
            self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.env,
            user=self.user, group=self.user and "nogroup", extra_groups=[] if self.user else None,
            start_new_session=True)
        return self

    def ready(self):
        if self.port:
            wait_for_port(self.port)
        return self

    def kill(self, number=signal.SIGKILL):
        """Kills the process and its children, and waits for its end."""
        if self.process and self.process.poll() is None:
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                pass
            self.process.wait()

    def rss_kilobytes(self):
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            return int(status.split("VmRSS:")[1].split()[0])
        except (OSError, IndexError):
            return None

    def cpu_seconds(self):
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")")[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            return None


def mosquitto(folder):
    [port] = free_ports(1)
    (folder / "mosquitto").mkdir()
    (folder / "mosquitto.conf").write_text(f"""
listener {port} 127.0.0.1
allow_anonymous true
user {pwd.getpwuid(os.getuid()).pw_name}
persistence true
persistence_location {folder}/mosquitto/
autosave_on_changes true
autosave_interval 200
max_inflight_messages 1000
max_queued_messages 0
message_size_limit 131072
""")
    return [Server("mosquitto", folder, ["mosquitto", "-c", folder / "mosquitto.conf"], port=port)]


def nats(folder):
    ports, nodes = free_ports(9), []
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports[3:6])
    for index in range(3):
        file = folder / f"nats{index}.conf"
        file.write_text(f"""
server_name: n{index}
listen: 127.0.0.1:{ports[index]}
jetstream {{ store_dir: "{folder}/js{index}", max_mem: 64M, max_file: 1G }}
cluster {{ name: fc, listen: 127.0.0.1:{ports[3 + index]}, no_advertise: true, routes: [{routes}] }}
mqtt {{ host: 127.0.0.1, port: {ports[6 + index]}, stream_replicas: 3, ack_wait: "10s", max_ack_pending: 1000 }}
""")
        nodes.append(Server(f"nats{index}", folder, ["nats-server", "-c", file], port=ports[6 + index]))
    return nodes


def rabbitmq(folder):
    ports, nodes = free_ports(13), []
    for index in range(3):
        own = folder / f"rabbit{index}"
        (own / "home").mkdir(parents=True)
        names = "\n".join(f"cluster_formation.classic_config.nodes.{i + 1} = fc{i}@localhost" for i in range(3))
        (own / "rabbitmq.conf").write_text(f"""
listeners.tcp.1 = 127.0.0.1:{ports[index]}
mqtt.listeners.tcp.1 = 127.0.0.1:{ports[3 + index]}
mqtt.allow_anonymous = true
mqtt.default_user = guest
mqtt.default_pass = guest
mqtt.vhost = /
mqtt.exchange = amq.topic
mqtt.prefetch = 100
mqtt.durable_queue_type = quorum
log.file.level = warning
cluster_partition_handling = pause_minority
max_message_size = 131072
cluster_formation.peer_discovery_backend = classic_config
{names}
vm_memory_high_watermark.absolute = 512MB
disk_free_limit.absolute = 200MB
""")
        (own / "enabled_plugins").write_text("[rabbitmq_mqtt].")
        (folder / "home").mkdir(exist_ok=True)
        env = dict(
            os.environ, HOME=str(folder / "home"), ERL_EPMD_ADDRESS="127.0.0.1", ERL_EPMD_PORT=str(ports[12]),
            RABBITMQ_NODENAME=f"fc{index}@localhost", RABBITMQ_NODE_IP_ADDRESS="127.0.0.1",
            RABBITMQ_NODE_PORT=str(ports[index]), RABBITMQ_DIST_PORT=str(ports[6 + index]),
            RABBITMQ_CONFIG_FILE=str(own / "rabbitmq.conf"), RABBITMQ_CONF_ENV_FILE="/dev/null",
            RABBITMQ_ENABLED_PLUGINS_FILE=str(own / "enabled_plugins"),
            RABBITMQ_MNESIA_BASE=str(own / "mnesia"), RABBITMQ_LOG_BASE=str(own / "log"),
            RABBITMQ_PID_FILE=str(own / "pid"), RABBITMQ_GENERATED_CONFIG_DIR=str(own / "gen"),
            RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} "
            "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none")
        server = Server(
            f"rabbit{index}", folder, [RABBITMQ / "sbin/rabbitmq-server"], env=env, port=ports[3 + index])
        nodes.append(server)
    # The first node starts alone, so that the other two join it.
    nodes[0].start().ready()
    return nodes


BROKERS = {"mosquitto": mosquitto, "nats": nats, "rabbitmq": rabbitmq}


class Database(Server):
    def __init__(self, folder):
        data = folder / "database"
        data.mkdir()
        user = "nobody" if os.getuid() == 0 else None
        if user:
            shutil.chown(data, user)
        subprocess.run(
            [POSTGRES / "initdb", "-D", data / "data", "-U", "postgres", "--auth=trust", "--no-sync"], check=True,
            stdout=subprocess.DEVNULL, user=user, group=user and "nogroup", extra_groups=[] if user else None)
        super().__init__("postgres", folder, [
            POSTGRES / "postgres", "-D", data / "data", "-c", "listen_addresses=", "-c",
            f"unix_socket_directories={data}"], user=user)
        self.options = f"host={data} user=postgres dbname=postgres"

    def ready(self, seconds=600):
        end = time.monotonic() + seconds
        while self.query("SELECT 1", check=False) != "1":
            if time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL is not ready after {seconds} s")
            # A server that was killed may leave processes, and the next one then refuses to start.
            if self.process.poll() is not None:
                time.sleep(0.3)
                self.start()
            time.sleep(0.1)
        return self

    def query(self, statement, check=True):
        result = subprocess.run(
            ["psql", "-XAtq", "-d", self.options, "-c", statement], capture_output=True, text=True)
        if check and result.returncode:
            raise RuntimeError(result.stderr)
        return result.stdout.strip()


def start(folder, broker, program, running):
    """Starts PostgreSQL and a broker and creates the tables; adds each server to `running` at once.

    Returns the database and the nodes of the broker.
    """
    database = Database(folder)
    running.append(database.start().ready())
    nodes = BROKERS[broker](folder)
    running += nodes
    for node in nodes:
        if not node.process:
            node.start()
    for node in nodes:
        node.ready()
    subprocess.run([program, "init", "--database", database.options], check=True, stdout=subprocess.DEVNULL)
    return database, nodes


class Consumer(Server):
    def __init__(self, name, folder, program, database, brokers, *options):
        [self.metrics_port] = free_ports(1)
        command = [program, "run", "--database", database.options, "--metrics", f"127.0.0.1:{self.metrics_port}"]
        for broker in brokers:
            command += ["--broker", f"mqtt://127.0.0.1:{broker.port}"]
        super().__init__(name, folder, [*command, *options])

    def metrics(self):
        try:
            reply = urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=600).read().decode()
        except OSError:
            return {}
        pairs = (line.rsplit(" ", 1) for line in reply.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def shard_count(self):
        return sum(value for name, value in self.metrics().items() if name.startswith("fixcast_fleet_shard_sub"))

    def wait_for_shards(self, count=16, seconds=600):
        start = time.monotonic()
        while self.shard_count() < count:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended with {self.process.poll()}")
            if time.monotonic() - start > seconds:
                raise RuntimeError(f"{self.name} serves {self.shard_count()} of {count} shards after {seconds} s")
            time.sleep(0.1)
        return time.monotonic() - start
