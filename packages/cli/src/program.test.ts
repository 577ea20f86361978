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
