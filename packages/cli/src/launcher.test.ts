import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { expect, onTestFinished, test } from "vitest"

const startNode = new URL("../bin/start-node.js", import.meta.url).href
/** Says when it listens, and by what it was asked to stop; a second Ctrl-C would end it. */
const child =
  "for (const s of ['SIGINT','SIGTERM']) process.once(s, () => { console.log(s); setTimeout(() => process.exit(7), 50) }); setInterval(() => {}, 1000); console.log('ready')"

/** What the child said until it had ended, and the launcher's exit code: null where that was killed. */
async function launched(
  code: string,
  stop: (pid: number) => void = () => {},
): Promise<{ readonly said: readonly string[]; readonly code: number | null }> {
  const program = `import { startNode } from ${JSON.stringify(startNode)}; startNode(["-e", ${JSON.stringify(code)}])`
  const launcher = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  })
  onTestFinished(() => endGroup(launcher.pid!))
  const said: string[] = []
  createInterface({ input: launcher.stdout }).on("line", (line) => {
    said.push(line)
    if (line === "ready") stop(launcher.pid!)
  })
  const [exitCode] = (await once(launcher, "close")) as [number | null]
  return { said, code: exitCode }
}

/** Where a test failed, a program may be left running. */
function endGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL")
  } catch {
    // All of it has ended.
  }
}

test("Ctrl-C that was sent to the launcher alone never reached the program", async () => {
  expect(await launched(child, (pid) => process.kill(pid, "SIGINT"))).toEqual({ said: ["ready", "SIGTERM"], code: 7 })
})

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s before the program listens: exit code %i, as where there is no launcher; that of Ctrl-C was 143", async (signal, code) => {
  const deaf = "setInterval(() => {}, 1000); console.log('ready')"
  expect(await launched(deaf, (pid) => process.kill(pid, signal))).toEqual({ said: ["ready"], code })
})

test("Ctrl-C of a terminal reaches both, and the program still stops in its own time", async () => {
  const { said, code } = await launched(child, (pid) => process.kill(-pid, "SIGINT"))
  expect(said).toContain("SIGINT")
  expect(code).toBe(7)
})

test("a program whose launcher was killed is asked to stop, as by SIGTERM", async () => {
  // Standard output ends with the program, which has it of the launcher.
  const { said, code } = await launched(child, (pid) => process.kill(pid, "SIGKILL"))
  expect(said).toEqual(["ready", "SIGTERM"])
  expect(code).toBeNull()
})

test("a program that has come to its end is not kept by the channel to its launcher", async () => {
  expect(await launched("console.log(process.connected)")).toEqual({ said: ["true"], code: 0 })
})

test("what a program starts or forks knows nothing of the launcher", async () => {
  const asks = "console.log(process.connected, Object.keys(process.env).filter((name) => name.startsWith('NODE_CHANNEL')))"
  const { said } = await launched(`
    console.log(process.execArgv.filter((flag) => flag.startsWith('--import')))
    process.stdout.write(require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(asks)}]).stdout)
  `)
  expect(said).toEqual(["[]", "undefined []"])
})

test("an older Node without another one beside it: says which is needed, exit code 1", async () => {
  const program = `
    Object.defineProperty(process, "version", { value: "v22.1.0" })
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.1.0" } })
    Object.defineProperty(process, "arch", { value: "none" })
    const { startNode } = await import(${JSON.stringify(startNode)})
    startNode(["-e", "console.log('runs')"])`
  const launcher = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "inherit", "pipe"] })
  let said = ""
  launcher.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString()
  })
  const [code] = await once(launcher, "close")
  expect([said, code]).toEqual(["pilothouse needs Node 24 or newer, found v22.1.0; install Node 24 and run the command again\n", 1])
})
