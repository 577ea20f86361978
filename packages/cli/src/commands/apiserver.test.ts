import { afterEach, expect, test, vi } from "vitest"
import { absentFlags } from "../apiserver/absent-flags.ts"
import { ignoredFlags } from "../apiserver/ignored-flags.ts"
import { pilothouseProgram, runProgram } from "../program.ts"

/** Everything the program says on standard error. */
function listen(): () => string {
  const written: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
  return () => written.join("")
}

afterEach(() => vi.restoreAllMocks())

test.each([
  ["an unknown flag", ["--secure-prot=1"], "unknown option '--secure-prot=1'\n(Did you mean --secure-port?)"],
  [
    "a flag that is going",
    ["--admission-control=X"],
    "--admission-control is deprecated in kube-apiserver, and not here; use --enable-admission-plugins and --disable-admission-plugins",
  ],
  [
    "a port without TLS",
    ["--insecure-port", "8080"],
    "was removed from kube-apiserver long ago; there is no port without TLS: use --secure-port",
  ],
  ["a webhook without its file", ["--authorization-mode=Webhook"], "authorization-mode Webhook's authorization config file not passed"],
  ["one of several modes", ["--authorization-mode=RBAC,ABAC"], 'found "ABAC"'],
  ["a mode twice", ["--authorization-mode=RBAC,RBAC"], 'expected each --authorization-mode once, found "RBAC" twice'],
  ["a port that is none", ["--secure-port", "a"], 'expected a whole number from 0 to 65535 for --secure-port, found "a"'],
  ["a duration that is none", ["--event-ttl=1x"], 'expected a duration such as "1h0m0s" for --event-ttl, found "1x"'],
  ["an unknown plugin", ["--enable-admission-plugins=Foo"], 'enable-admission-plugins plugin "Foo" is unknown; there are'],
  ["a plugin that is on and off", ["--enable-admission-plugins=Priority", "--disable-admission-plugins=Priority"], "overlapped"],
  ["an address that is a name", ["--bind-address=nowhere"], "expected an IP address such as 127.0.0.1, 0.0.0.0 or ::1 for --bind-address"],
  ["an address that is half one", ["--advertise-address", "10.0.0"], 'for --advertise-address, found "10.0.0"'],
  [
    "a range that is none",
    ["--service-cluster-ip-range=10.0.0.0"],
    'pilothouse: --service-cluster-ip-range: expected an IPv4 range such as "10.96.0.0/12", found "10.0.0.0"\n',
  ],
  [
    "two ranges, as for dual stack",
    ["--service-cluster-ip-range=10.96.0.0/12,fd00::/108"],
    'expected one IPv4 range such as "10.96.0.0/12", found more than one: there is no dual stack here yet ("10.96.0.0/12,fd00::/108"); give an IPv4 range alone',
  ],
  [
    "a range that is too small, as upstream refuses it",
    ["--service-cluster-ip-range=10.0.0.0/30"],
    '--service-cluster-ip-range: expected at least 8 IP addresses, as upstream, found 4 ("10.0.0.0/30"); give a range such as "10.96.0.0/12", or /29 at the least',
  ],
  ["a range of one address", ["--service-cluster-ip-range=10.0.0.0/32"], "expected at least 8 IP addresses, as upstream, found 1"],
  ["a range of no such size", ["--service-cluster-ip-range=10.0.0.0/33"], 'expected an IPv4 range such as "10.96.0.0/12"'],
  [
    "a flag of upstream's that is not here",
    ["--encryption-provider-config=/etc/keys.yaml"],
    "found --encryption-provider-config: kube-apiserver has it, it is not here; leave it out",
  ],
  ["one of them with its value behind it", ["--oidc-issuer-url", "https://x"], "found --oidc-issuer-url: kube-apiserver has it"],
  ["one of them without a value", ["--audit-log-compress"], "found --audit-log-compress: kube-apiserver has it"],
  ["a version that is none", ["--version=bogus"], 'expected true or false for --version, found "bogus"'],
  ["a range of IPv6", ["--service-cluster-ip-range=fd00::/108"], "found one of IPv6, which is not here yet"],
  ["a range of ports that is none", ["--service-node-port-range=a-b"], 'expected a range of ports such as "30000-32767" or "30000+2767"'],
  [
    "a range of ports that ends before it begins",
    ["--service-node-port-range=31000-30000"],
    "expected an end that is not before the start",
  ],
  ["ports that there are not", ["--service-node-port-range=65000+1000"], "expected ports up to 65535 for --service-node-port-range"],
  [
    "a TLS that is none",
    ["--tls-min-version=TLS1.2"],
    "expected one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13 for --tls-min-version",
  ],
  ["a suite that is none", ["--tls-cipher-suites=TLS_X"], `found one that is not supported or doesn't exist: "TLS_X"`],
  ["a suite that is broken", ["--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA"], "found one that is broken and not built in here"],
  ["neither true nor false", ["--anonymous-auth=maybe"], 'expected true or false for --anonymous-auth, found "maybe"'],
  ["neither, of a flag without a value", ["--ephemeral=maybe"], 'expected true or false for --ephemeral, found "maybe"'],
  ["a plugin with a slip", ["--enable-admission-plugins=NamespaceLifecycel"], "; did you mean NamespaceLifecycle?"],
  ["a plugin in small letters", ["--disable-admission-plugins=serviceaccount"], "; did you mean ServiceAccount?"],
  ["a plugin of upstream's with a slip", ["--enable-admission-plugins=NodeRestrictions"], "; did you mean NodeRestriction?"],
  ["half a pair", ["--data-dir=/dev/null/x", "--tls-cert-file=a"], "cannot be used"],
])("%s is refused with what to do", async (_what, args, message) => {
  const said = listen()
  const code = await runProgram(["apiserver", ...args])
  expect(said()).toContain(message)
  expect(code).toBe(message === "cannot be used" ? 1 : 2)
})

/** Everything the program says on standard output. */
function capture(): () => string {
  const written: string[] = []
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0)
  return () => written.join("")
}

test.each([["--version"], ["--version=true"]])("%s prints what kube-apiserver's prints, and starts nothing", async (flag) => {
  const said = capture()
  expect(await runProgram(["apiserver", "--data-dir=/dev/null/x", flag])).toBe(0)
  expect(said()).toBe("Kubernetes v1.36.3\n")
})

test("--help names the flags that change nothing here, and not those that are refused", async () => {
  const said = capture()
  expect(await runProgram(["apiserver", "--help"])).toBe(0)
  const [, listed = ""] = said().split("Flags of kube-apiserver that are taken and change nothing here:\n")
  const [list = ""] = listed.split("\nExamples:\n")
  expect(list.trim().split(/\s+/)).toEqual(ignoredFlags.map((flag) => `--${flag}`))
  expect(Math.max(...list.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100)
  expect(said()).not.toContain("--oidc-issuer-url")
})

test("a flag is had, taken without effect or not here, and only one of them", async () => {
  const options = (await pilothouseProgram("apiserver")).commands.find((command) => command.name() === "apiserver")!.options
  const names = options.map(({ long }) => long)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(absentFlags.filter((flag) => ignoredFlags.includes(flag))).toEqual([])
})

test.each([
  ["VersionTLS10", ["pilothouse: --tls-min-version=VersionTLS10: TLS 1.2 is the oldest that is spoken here: older clients are refused"]],
  ["VersionTLS11", ["pilothouse: --tls-min-version=VersionTLS11: TLS 1.2 is the oldest that is spoken here: older clients are refused"]],
  ["VersionTLS12", []],
  ["VersionTLS13", []],
])("--tls-min-version=%s: whether older clients would be refused all the same is said", async (version, warnings) => {
  const said = listen()
  await runProgram(["apiserver", "--data-dir=/dev/null/x", `--tls-min-version=${version}`])
  expect(
    said()
      .split("\n")
      .filter((line) => line.includes("--tls-min-version")),
  ).toEqual(warnings)
})
