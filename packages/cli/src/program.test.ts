import { afterEach, expect, test, vi } from "vitest"
import { runProgram } from "./program.ts"

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

const missing = "/nowhere/at/all"

test.each<[name: string, args: readonly string[], message: string]>([
  ["a kubeconfig that is not there", ["get", "pods", "--kubeconfig", missing], `expected a kubeconfig at ${missing}, found no file`],
  ["that of run", ["run", "--kubeconfig", missing], `expected a kubeconfig at ${missing}, found no file`],
  ["that of explain", ["explain", "deploy/web", "--kubeconfig", missing], `expected a kubeconfig at ${missing}, found no file`],
  ["labels that cannot be read", ["get", "pods", "-l", "app=web,,"], 'for --selector, found "app=web,,"'],
  ["labels of what is to be deleted", ["delete", "pods", "-l", "=x"], 'for --selector, found "=x"'],
  ["fields that cannot be read", ["get", "pods", "--field-selector", "phase"], 'for --field-selector, found "phase"'],
  ["a format that is none", ["get", "pods", "-o", "table"], 'for --output, found "table"'],
  ["a leader that is no URL", ["explain", "deploy/web", "--server", "here"], 'for --server, found "here"'],
  ["a Lease without a namespace", ["explain", "deploy/web", "--lease", "bogus"], 'for --lease, found "bogus"'],
  ["a range that is none", ["apiserver", "--service-cluster-ip-range", "x"], 'for --service-cluster-ip-range, found "x"'],
  ["lines that are no number", ["logs", "web", "--tail", "few"], 'for --tail, found "few"'],
  ["a manifest that is not there", ["apply", "-f", missing, "--kubeconfig", missing], missing],
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
