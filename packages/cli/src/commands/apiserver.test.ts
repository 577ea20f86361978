import { afterEach, expect, test, vi } from "vitest"
import { runProgram } from "../program.ts"

/** Everything the program says on standard error. */
function listen(): () => string {
  const written: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
  return () => written.join("")
}

afterEach(() => vi.restoreAllMocks())

test.each([
  ["an unknown flag", ["--secure-prot=1"], "unknown option '--secure-prot=1'\n(Did you mean --secure-port?)"],
  ["a flag that was removed", ["--admission-control=X"], "use --enable-admission-plugins and --disable-admission-plugins"],
  ["a port without TLS", ["--insecure-port", "8080"], "there is no port without TLS: use --secure-port"],
  [
    "a mode we do not have",
    ["--authorization-mode=Webhook"],
    'expected AlwaysAllow, Node or RBAC for --authorization-mode, found "Webhook"',
  ],
  ["one of several modes", ["--authorization-mode=RBAC,ABAC"], 'found "ABAC"'],
  ["a port that is none", ["--secure-port", "a"], 'expected a whole number from 0 to 65535 for --secure-port, found "a"'],
  ["a duration that is none", ["--event-ttl=1x"], 'expected a duration such as "1h0m0s" for --event-ttl, found "1x"'],
  ["a plugin nobody knows", ["--enable-admission-plugins=Foo"], 'enable-admission-plugins plugin "Foo" is unknown; there are'],
  ["a plugin that is on and off", ["--enable-admission-plugins=Priority", "--disable-admission-plugins=Priority"], "overlapped"],
  ["an address that is a name", ["--bind-address=nowhere"], "expected an IP address such as 127.0.0.1, 0.0.0.0 or ::1 for --bind-address"],
  ["an address that is half one", ["--advertise-address", "10.0.0"], 'for --advertise-address, found "10.0.0"'],
  [
    "a range that is none",
    ["--service-cluster-ip-range=10.0.0.0"],
    'pilothouse: --service-cluster-ip-range: expected an IPv4 range such as "10.96.0.0/12", found "10.0.0.0"\n',
  ],
  ["half a pair", ["--data-dir=/dev/null/x", "--tls-cert-file=a"], "cannot be used"],
])("%s is refused with what to do", async (_what, args, message) => {
  const said = listen()
  const code = await runProgram(["apiserver", ...args])
  expect(said()).toContain(message)
  expect(code).toBe(message === "cannot be used" ? 1 : 2)
})
