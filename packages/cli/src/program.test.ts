import { afterEach, expect, test, vi } from "vitest"
import { runProgram } from "./program.ts"
import { settingsOf } from "./run/settings.ts"

const missing = "/nowhere/at/all"

/** Everything the program says on standard error. */
function listen(): () => string {
  const written: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
  return () => written.join("")
}

afterEach(() => vi.restoreAllMocks())

test("an unknown flag is answered with what may have been meant, and exit code 2", async () => {
  const said = listen()
  expect(await runProgram(["up", "--node", "3"])).toBe(2)
  expect(said()).toContain("unknown option '--node'\n(Did you mean --nodes?)")
})

test.each<[words: readonly string[], said: string]>([
  [["--concurrent_rc_syncs=0"], "--concurrent-rc-syncs: expected a whole number from 1"],
  [["--concurrent_rc_syncs", "0"], "--concurrent-rc-syncs: expected a whole number from 1"],
  [["--leader_elect_lease-duration=a_b"], 'found "a_b"'],
  [["--leader_elekt"], "unknown option '--leader_elekt'\n(Did you mean --leader-elect?)"],
])("flags of run may be written with underscores: %j", async (words, message) => {
  const said = listen()
  expect(await runProgram(["run", ...words])).toBe(2)
  expect(said()).toContain(message)
})

test("version says which one it is, and of which Kubernetes", async () => {
  const written: string[] = []
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0)
  expect(await runProgram(["version"])).toBe(0)
  expect(written.join("")).toMatch(/^pilothouse \d+\.\d+\.\d+, Kubernetes v1\.36\.3\n$/)
})

test("an unknown command likewise", async () => {
  const said = listen()
  expect(await runProgram(["upp"])).toBe(2)
  expect(said()).toContain("unknown command 'upp'\n(Did you mean up?)")
})

test.each<[args: readonly string[], said: string]>([
  [["discovery", "wtach", "web"], "unknown command 'discovery wtach'\n(Did you mean discovery watch?)"],
  [["discovery", "nonsense"], "unknown command 'discovery nonsense'\n(expected one of bootstrap, watch, explain)"],
  [["openstack", "doktor"], "unknown command 'openstack doktor'\n(Did you mean openstack doctor?)"],
])("an unknown part of a command likewise: %j", async (args, message) => {
  const said = listen()
  expect(await runProgram(args)).toBe(2)
  expect(said()).toContain(message)
})

test.each<[args: readonly string[], message: string]>([
  [["explain", "web", "notanip"], 'expected an IP address such as 10.244.1.3 or fd00::3 behind the host, found "notanip"'],
  [["explain", "web", "10.0.0.999"], 'behind the host, found "10.0.0.999"'],
  [["explain", "web", "10.0.0.1:80"], "a port stands behind the host: web.default:80 10.0.0.1"],
  [["explain", "http://web:80"], 'expected a host such as web.default or web.default:80, found "http://web:80"'],
])("discovery %j: exit code 2 before any cluster is asked for", async (args, message) => {
  const said = listen()
  expect(await runProgram(["discovery", ...args, "--kubeconfig", "/nowhere"])).toBe(2)
  expect(said()).toContain(message)
})

test.each(["--node-id", "--namespace", "--network", "--certificate-authority", "--client-certificate", "--client-key", "--token-file"])(
  "discovery bootstrap %s with nothing is refused: what it printed would not work",
  async (flag) => {
    const said = listen()
    expect(await runProgram(["discovery", "bootstrap", "--for", "envoy", flag, ""])).toBe(2)
    expect(said()).toMatch(new RegExp(`expected a (name|path) for ${flag}, found nothing`))
  },
)

test.each(["", "web:http", "web:0", "web:70000", "outbound|80||web"])(
  "discovery watch %j: exit code 2 before any server is asked",
  async (host) => {
    const said = listen()
    expect(await runProgram(["discovery", "watch", host])).toBe(2)
    expect(said()).toMatch(/expected a (host|port)/)
  },
)

test("an unknown command that is like none of ours: no guess", async () => {
  const said = listen()
  expect(await runProgram(["bogus"])).toBe(2)
  expect(said()).toBe(
    "error: unknown command 'bogus'\n(pilothouse --help lists the commands; flags stand after the command: pilothouse get pods --kubeconfig FILE)\n",
  )
})

test.each<[args: readonly string[], message: string]>([
  [["top", "bogus"], 'expected nodes or pods, found "bogus"'],
  [["delete"], 'expected a resource, such as "pods" or "deployment/web", found nothing'],
  [["delete", "deploy"], "expected a name, --selector or --all to say which deploy to delete, found none of them"],
  [["delete", "deploy", "--all", "-l", "a=b"], "expected --all or --selector, found both"],
  [["explain", "deployment"], 'expected one object, such as "deployment/web", found "deployment"'],
  [["explain", "pod/a", "pod/b"], 'expected one object, such as "deployment/web", found "pod/a pod/b"'],
  [["get", "pod/"], 'expected kind/name, such as "deployment/web", found "pod/"'],
])("%j: exit code 2 before any cluster is asked for", async (args, message) => {
  const said = listen()
  expect(await runProgram([...args, "--kubeconfig", "/nowhere"])).toBe(2)
  expect(said()).toContain(message)
})

test("run takes kubeadm's command line for kube-controller-manager as it is, down to the files that it names", async () => {
  const said = listen()
  const files = ["authentication-kubeconfig", "authorization-kubeconfig", "client-ca-file", "requestheader-client-ca-file"]
  // Its flags for signing are empty where the authority is elsewhere.
  const empty = ["root-ca-file", "service-account-private-key-file", "cluster-signing-cert-file", "cluster-signing-key-file"]
  const rest = [
    "bind-address=127.0.0.1",
    "leader-elect=true",
    "use-service-account-credentials=true",
    "controllers=*,bootstrapsigner,tokencleaner",
    "allocate-node-cidrs=true",
    "cluster-cidr=10.244.0.0/16",
    "service-cluster-ip-range=10.96.0.0/12",
    "cluster-name=kubernetes",
  ]
  const words = [...files.map((name) => `${name}=/nowhere`), ...empty.map((name) => `${name}=`), ...rest].map((word) => `--${word}`)
  expect(await runProgram(["run", ...words, "--kubeconfig=/nowhere"])).toBe(2)
  expect(said()).toContain("expected a kubeconfig at /nowhere, found no file")
})

test.each<[args: readonly string[], message: string]>([
  [["--secure-port", "99999"], '--secure-port: expected a port from 0 to 65535, found "99999"'],
  [
    ["--leader-elect-lease-duration", "5s"],
    "expected --leader-elect-lease-duration to be more than --leader-elect-renew-deadline, found 5s and 10s; set both",
  ],
  [
    ["--leader-elect-retry-period", "9s"],
    "expected --leader-elect-renew-deadline to be more than 1.2 times --leader-elect-retry-period, found 10s and 9s; set both",
  ],
  [["--leader-elect-retry-period", "0s"], "--leader-elect-retry-period: expected more than 0s, found 0s"],
  [["--leader-elect-resource-name", "a/b"], '--leader-elect-resource-name: expected a name without "/", found "a/b"'],
  [
    ["--cloud-provider", "aws"],
    '--cloud-provider: expected openstack, memory, external, nothing, a file such as ./provider.js or an installed package, found "aws"',
  ],
  [["--bind-address", "nowhere"], '--bind-address: expected an IP address such as 127.0.0.1, 0.0.0.0 or ::1, found "nowhere"'],
  [["--debug-address", "nowhere"], 'expected a URL such as https://127.0.0.1:10257 for --debug-address, found "nowhere"'],
  [["--tls-cert-file", "/nowhere.crt"], "expected both of --tls-cert-file and --tls-private-key-file, found one"],
])("run %j: exit code 2 and the flag's name before any cluster is asked for", async (args, message) => {
  const said = listen()
  expect(await runProgram(["run", ...args, "--kubeconfig", "/nowhere"])).toBe(2)
  expect(said()).toContain(message)
})

test.each<[args: readonly string[], message: string]>([
  [["--tls-min-version", "1.3"], 'for --tls-min-version, found "1.3"'],
  [["--tls-cipher-suites", "ROT13"], 'for --tls-cipher-suites, found one that is not supported or doesn\'t exist: "ROT13"'],
  [["--allocate-node-cidrs"], "expected --cluster-cidr with --allocate-node-cidrs, found none"],
  [["--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/25"], "expected a node mask from"],
  [["--master", "http://127.0.0.1:8080"], "expected --kubeconfig, found --master; name http://127.0.0.1:8080 as the server"],
  [["--controllers=*", "--controllers=-jobb"], 'expected the name of a controller, found "jobb"; did you mean "job"?'],
  [["--controllers=jobb", "--controllers=*"], 'expected the name of a controller, found "jobb"; did you mean "job"?'],
])("run %j: exit code 2, and of a list that is said twice nothing is forgotten", async (args, message) => {
  const said = listen()
  expect(await runProgram(["run", ...args, "--kubeconfig", "/nowhere"])).toBe(2)
  expect(said()).toContain(message)
})

test.each(["run", "apiserver"])("%s --version prints what upstream's prints, and ends", async (command) => {
  const written: string[] = []
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0)
  expect(await runProgram([command, "--version"])).toBe(0)
  expect(written).toEqual(["Kubernetes v1.36.3\n"])
})

test.each([["-v=2"], ["-v", "2"], ["-v2"], ["--v=2"], ["--v", "2"]])(
  "run %s %s is klog's, and is named as all that changes nothing",
  async (...words) => {
    const said = listen()
    expect(await runProgram(["run", ...words, `--kubeconfig=${missing}`])).toBe(2)
    expect(said()).toMatch(/flags that change nothing here flags=--v\n/)
    expect(said()).toContain(`expected a kubeconfig at ${missing}`)
  },
)

test("timings of an election that is not held are not judged, nor the address of a port that is not opened", () => {
  const { own } = settingsOf({ "leader-elect": "false", "leader-elect-lease-duration": "5s", "secure-port": "0", "bind-address": "x" }, {})
  expect([own["leader-elect-lease-duration"], own["bind-address"]]).toEqual([5000, "x"])
})

test("a value that is no number says what was expected and found", async () => {
  const said = listen()
  expect(await runProgram(["up", "--nodes", "many"])).toBe(2)
  expect(said()).toBe('pilothouse: expected a whole number from 0 to 1000 for --nodes, found "many"\n')
})

test("an empty data directory would be the present one, with private keys in it", async () => {
  const said = listen()
  expect(await runProgram(["up", "--data-dir="])).toBe(2)
  expect(said()).toBe("pilothouse: expected a path for --data-dir, found nothing\n")
})

test.each<[name: string, args: readonly string[], message: string]>([
  ["a kubeconfig that is not there", ["get", "pods", "--kubeconfig", missing], `expected a kubeconfig at ${missing}, found no file`],
  ["that of run", ["run", "--kubeconfig", missing], `expected a kubeconfig at ${missing}, found no file`],
  ["that of explain", ["explain", "deploy/web", "--kubeconfig", missing], `expected a kubeconfig at ${missing}, found no file`],
  ["labels that cannot be read", ["get", "pods", "-l", "app=web,,"], 'for --selector, found "app=web,,"'],
  ["labels of what is to be deleted", ["delete", "pods", "-l", "=x"], 'for --selector, found "=x"'],
  ["fields that cannot be read", ["get", "pods", "--field-selector", "phase"], 'for --field-selector, found "phase"'],
  ["a format that is none", ["get", "pods", "-o", "table"], 'for --output, found "table"'],
  ["a format with a slip", ["get", "pods", "-o", "jsn"], 'for --output, found "jsn"; did you mean "json"?'],
  ["a shell with a slip", ["completion", "fsh"], 'for the shell, found "fsh"; did you mean "fish"?'],
  [
    "a level of the log with a slip",
    ["run", "--log-level", "wran"],
    'expected debug, info, warn or error, found "wran"; did you mean "warn"?',
  ],
  ["what top does not show", ["top", "nodez"], 'expected nodes or pods, found "nodez"; did you mean "nodes"?'],
  ["a name and labels of top", ["top", "pod", "web-1", "-l", "app=web"], "expected a name or --selector, found both"],
  ["a name of every namespace", ["top", "pod", "web-1", "-A"], "expected a name or --all-namespaces, found both"],
  ["a leader that is no URL", ["explain", "deploy/web", "--server", "here"], 'for --server, found "here"'],
  ["a Lease without a namespace", ["explain", "deploy/web", "--lease", "bogus"], 'for --lease, found "bogus"'],
  [
    "a range that is none",
    ["apiserver", "--service-cluster-ip-range", "x"],
    '--service-cluster-ip-range: expected an IPv4 range such as "10.96.0.0/12", found "x"',
  ],
  ["lines that are no number", ["logs", "web", "--tail", "few"], 'for --tail, found "few"'],
  ["a manifest that is not there", ["apply", "-f", missing, "--kubeconfig", missing], `expected a file or directory at ${missing}`],
  [
    "manifests of a start that are not there",
    ["up", "--from", missing, "--data-dir", "/dev/null/data"],
    `expected a file or directory at ${missing}`,
  ],
  ["a file without an object", ["apply", "-f", "/dev/null", "--kubeconfig", missing], "expected objects to apply in /dev/null, found none"],
])("a wrong value, %s, is named with its flag and exits with 2", async (_name, args, message) => {
  const said = listen()
  expect(await runProgram(args)).toBe(2)
  expect(said()).toContain(message)
})

test.each<[name: string, args: readonly string[], hint: string]>([
  ["of a command", ["get", "pods", "--nope"], "(pilothouse get --help lists its flags)"],
  ["of a command's command", ["openstack", "doctor", "--nope"], "(pilothouse openstack doctor --help lists its flags)"],
  ["before the command", ["--kubeconfig", "x", "get", "pods"], "flags stand after the command"],
])("an unknown flag %s points to where the flags are listed", async (_name, args, hint) => {
  const said = listen()
  expect(await runProgram(args)).toBe(2)
  expect(said()).toContain(hint)
})

test("kubeadm starts kube-controller-manager with flags and controllers that are not here: all are taken, and named", async () => {
  const said = listen()
  const flags = [
    "--allocate-node-cidrs=true",
    "--authentication-kubeconfig=/etc/kubernetes/controller-manager.conf",
    "--authorization-kubeconfig=/etc/kubernetes/controller-manager.conf",
    "--bind-address=127.0.0.1",
    "--client-ca-file=/etc/kubernetes/pki/ca.crt",
    "--cluster-cidr=10.244.0.0/16",
    "--cluster-name=kubernetes",
    "--cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt",
    "--cluster-signing-key-file=/etc/kubernetes/pki/ca.key",
    "--controllers=*,bootstrapsigner,tokencleaner",
    `--kubeconfig=${missing}`,
    "--leader-elect=true",
    "--requestheader-client-ca-file=/etc/kubernetes/pki/front-proxy-ca.crt",
    "--root-ca-file=/etc/kubernetes/pki/ca.crt",
    "--service-account-private-key-file=/etc/kubernetes/pki/sa.key",
    "--service-cluster-ip-range=10.96.0.0/12",
    "--use-service-account-credentials=true",
  ]
  expect(await runProgram(["run", ...flags])).toBe(2)
  expect(said()).toMatch(
    /^[\d:.]+ warn {2}flags that change nothing here flags="--authentication-kubeconfig, --authorization-kubeconfig, --requestheader-client-ca-file"\n/,
  )
  // Nothing but the path is wrong.
  expect(said().split("\n").slice(1)).toEqual([
    expect.stringContaining(`pilothouse: expected a kubeconfig at ${missing}, found no file`),
    "",
  ])
})
