import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { expect, test } from "vitest"

const startNode = new URL("../bin/start-node.js", import.meta.url).href
/** Says when it listens, and by what it was asked to stop; a second Ctrl-C would end it. */
const child =
  "for (const s of ['SIGINT','SIGTERM']) process.once(s, () => { console.log(s); setTimeout(() => process.exit(7), 50) }); setInterval(() => {}, 1000); console.log('ready')"
const program = `import { startNode } from ${JSON.stringify(startNode)}; startNode(["-e", ${JSON.stringify(child)}])`

/** What the child said, and the launcher's exit code. */
async function launched(stop: (pid: number) => void): Promise<{ readonly said: readonly string[]; readonly code: number }> {
  const launcher = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  })
  const said: string[] = []
  createInterface({ input: launcher.stdout }).on("line", (line) => {
    said.push(line)
    if (line === "ready") stop(launcher.pid!)
  })
  const [code] = (await once(launcher, "close")) as [number]
  return { said, code }
}

test("Ctrl-C that was sent to the launcher alone never reached the program", async () => {
  expect(await launched((pid) => process.kill(pid, "SIGINT"))).toEqual({ said: ["ready", "SIGTERM"], code: 7 })
})

test("Ctrl-C of a terminal reaches both, and the program still stops in its own time", async () => {
  const { said, code } = await launched((pid) => process.kill(-pid, "SIGINT"))
  expect(said).toContain("SIGINT")
  expect(code).toBe(7)
})
