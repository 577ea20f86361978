import { expect, test } from "vitest"
import { runCommand } from "./run-command.ts"

const never = new Promise<never>(() => {})

/** A program without an end of its own. */
const endless = `setInterval(() => {}, 1000)`

test.each<[name: string, script: string, code: number]>([
  ["that succeeds", "", 0],
  ["that fails", "process.exit(5)", 5],
  ["that a signal ends: 128 and its number", 'process.kill(process.pid, "SIGKILL")', 137],
  ["that reads KUBECONFIG", 'process.exit(process.env.KUBECONFIG === "/a/config" ? 9 : 1)', 9],
])("the exit code of a command %s", async (_name, script, code) => {
  expect(await runCommand({ words: [process.execPath, "-e", script], kubeconfig: "/a/config", lost: never })).toBe(code)
})

test("a program that does not exist is an error that names it", async () => {
  const running = runCommand({ words: ["no-such-program"], kubeconfig: "/a/config", lost: never })
  await expect(running).rejects.toThrow(
    'expected a program that can be started behind "--", found for "no-such-program": none of that name',
  )
})

test("a cluster that is lost ends the command, and that is no success", async () => {
  const lost = Promise.withResolvers<never>()
  const running = runCommand({ words: [process.execPath, "-e", endless], kubeconfig: "/a/config", lost: lost.promise })
  lost.reject(new Error("the directory was taken over"))
  await expect(running).rejects.toThrow("the directory was taken over")
})

test("its listeners of signals are gone when the command has ended", async () => {
  const count = () => process.listenerCount("SIGTERM") + process.listenerCount("SIGINT") + process.listenerCount("SIGHUP")
  const before = count()
  const running = runCommand({ words: [process.execPath, "-e", ""], kubeconfig: "/a/config", lost: never })
  expect(count()).toBe(before + 3)
  await running
  expect(count()).toBe(before)
})
