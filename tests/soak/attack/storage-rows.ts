import { spawn, spawnSync } from "node:child_process"
import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Attempt, Row } from "./row.ts"
import { nodeArguments, startUp, type Up } from "./server.ts"
import { isTrueWithin, pause, until, within } from "./waiting.ts"
import { administrator, Wire } from "./wire.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
/** Milliseconds. */
const hour = 3_600_000

function adminOf({ port, facts }: Up): Wire {
  return new Wire(port, administrator(facts.kubeconfig))
}

/** Writes until told to stop; answers with the names that were acknowledged. */
async function write(wire: Wire, prefix: string, count: number, size: number): Promise<{ names: string[]; statuses: Set<number> }> {
  const [names, statuses]: [string[], Set<number>] = [[], new Set()]
  for (let index = 0; index < count; index++) {
    const name = `${prefix}-${index}`
    const { status } = await wire.create(configMaps, { metadata: { name }, data: { x: "y".repeat(size) } })
    statuses.add(status)
    if (status === 201) names.push(name)
  }
  return { names, statuses }
}

async function namesOf(wire: Wire): Promise<ReadonlySet<string>> {
  const { text } = await wire.send({ path: `${configMaps}?limit=5000`, headers: { accept: "application/json" } })
  return new Set((JSON.parse(text).items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name))
}

/** How many descriptors the process may have from now on; false where the system cannot say so. */
function limitDescriptors(pid: number, limit: number): boolean {
  return spawnSync("prlimit", ["--pid", String(pid), `--nofile=${limit}:`]).status === 0
}

/** Anonymous connections have every descriptor there is while an ordinary client writes: the storage goes on when they are gone. */
async function noDescriptors({ directory, startUp: start, expect, wire, skip }: Attempt): Promise<void> {
  const data = join(directory, "data")
  const up = await start(data, [])
  const admin = adminOf(up)
  await admin.send({ path: "/version" })
  const attacker = wire(up.port)
  for (let count = 0; count < 100; count++) attacker.tcp().resume()
  await pause(1000)
  // As if there were a few more of them: that the limit is met in the very moment of a new log is no matter of luck this way.
  if (!limitDescriptors(up.program.pid, 8)) skip("there is no prlimit here")
  const during = await write(admin, "during", 25, 900_000)
  limitDescriptors(up.program.pid, 1024)
  attacker.leave()
  await pause(1000)
  const works = await isTrueWithin(
    async () => (await write(admin, `after-${Math.round(performance.now())}`, 1, 10)).names.length === 1,
    15_000,
  )
  expect(works, "writes to be taken again after the attacker left", `none within 15 s; during the attack ${[...during.statuses]}`)
  const alive = await admin.send({ path: "/livez" })
  expect(alive.status === 200, "/livez to be well again", `${alive.status} ${alive.text}`)
  admin.leave()
  await up.program.kill()
  const again = await start(data, [])
  const wireAgain = adminOf(again)
  const found = await namesOf(wireAgain)
  const lost = during.names.filter((name) => !found.has(name))
  expect(lost.length === 0, "every acknowledged write after kill -9", `that ${lost.join(", ")} are lost`)
  wireAgain.leave()
}

/** Two containers with one volume: both are process 1 of their namespace. */
async function twoNamespaces({ directory, startUp: start, start: begin, expect, skip }: Attempt): Promise<void> {
  const wrapper = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
  const data = join(directory, "data")
  const [unshare = "", ...rest] = wrapper
  const tried = spawnSync(unshare, [...rest, "true"])
  if (tried.status !== 0) skip(`no PID namespace can be made here: ${tried.error?.message ?? tried.stderr}`)
  const first = await start(data, [], { wrapper })
  const admin = adminOf(first)
  const before = await write(admin, "first", 20, 100)
  const second = begin(["up", "--json", "--port", "0", "--data-dir", data], { wrapper })
  const result = await within(second.ended, 20_000)
  expect(result !== undefined && result !== 0, "the second process to be refused", result ?? `that it runs: ${second.output}`)
  expect(/in use|locked/i.test(second.output), "a word on who has the directory", second.output)
  await second.kill()
  const after = await write(admin, "second", 20, 100)
  expect(before.names.length + after.names.length === 40, "the first process to go on", [...after.statuses])
  admin.leave()
  await first.program.kill()
  const again = await start(data, [], { wrapper })
  const wire = adminOf(again)
  const found = await namesOf(wire)
  const lost = [...before.names, ...after.names].filter((name) => !found.has(name))
  expect(lost.length === 0, "every acknowledged write", `that ${lost.join(", ")} are lost`)
  wire.leave()
}

/** A killed process whose parent has not waited for it is gone all the same. */
async function zombieHolder({ directory, startUp: start, expect }: Attempt): Promise<void> {
  const data = join(directory, "data")
  const args = JSON.stringify(nodeArguments(["up", "--json", "--port", "0", "--data-dir", data]))
  const script = `const c = require("node:child_process").spawn(process.execPath, ${args}, { stdio: ["ignore", "inherit", "inherit"] }); console.log("pid " + c.pid)`
  const parent = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] })
  let output = ""
  parent.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString()
  })
  try {
    await until("a cluster to be up", () => output.includes('"milliseconds"'), 60_000)
    parent.kill("SIGSTOP")
    process.kill(Number(/pid (\d+)/.exec(output)?.[1]), "SIGKILL")
    await pause(500)
    const failure = await start(data, []).then(
      () => undefined,
      (error: Error) => error.message,
    )
    expect(failure === undefined, "a start on a directory whose holder is a zombie", failure)
  } finally {
    parent.kill("SIGKILL")
  }
}

/** The lock of a container, found on the host: its process 1 is another one. */
async function foreignLock({ directory, startUp: start, expect }: Attempt): Promise<void> {
  const data = join(directory, "data")
  const first = await start(data, [])
  await first.program.kill()
  for (const name of readdirSync(data).filter((entry) => /^lock-\d+$/.test(entry))) cpSync(join(data, name), join(data, "lock-1"))
  writeFileSync(join(data, "lock-1"), "1")
  const failure = await start(data, []).then(
    () => undefined,
    (error: Error) => error.message,
  )
  expect(failure === undefined, "a start beside the lock of another machine's process 1", failure)
}

/** Files below a directory that contain one of these texts. */
function filesWith(directory: string, texts: readonly string[]): readonly string[] {
  const names = readdirSync(directory, { recursive: true }).map(String)
  return names.filter((name) => {
    const path = join(directory, name)
    return statSync(path).isFile() && texts.some((text) => readFileSync(path).includes(text))
  })
}

/** What was deleted leaves the disk by itself, not only when the log grows. */
async function deletedSecret({ directory, startUp: start, expect }: Attempt): Promise<void> {
  const data = join(directory, "data")
  const up = await start(data, [])
  const admin = adminOf(up)
  const secret = "a-word-that-must-not-stay-on-disk"
  const path = "/api/v1/namespaces/default/secrets"
  await admin.create(path, { metadata: { name: "s" }, stringData: { word: secret } })
  const encoded = Buffer.from(secret).toString("base64")
  const texts = [secret, encoded.slice(0, 40)]
  expect(filesWith(join(data, "storage"), texts).length > 0, "the Secret on disk while it is there", "none")
  await admin.send({ method: "DELETE", path: `${path}/s` })
  const isGone = async () => {
    // The observer's clock: the compaction comes by a timer. Other writes come in between, as in every cluster.
    await up.program.ask("jump", 5000, hour)
    await admin.create(configMaps, { metadata: { generateName: "c-" } })
    await pause(500)
    return filesWith(join(data, "storage"), texts).length === 0
  }
  expect(await isTrueWithin(isGone, 20_000), "a deleted Secret to leave the log by a timer", filesWith(join(data, "storage"), texts))
  admin.leave()
}

/** What every batch of writes in a log begins with. */
const frameMark = Buffer.from([0xff, 0xfe, 0x50, 0x48])

/** After an orderly end nothing can be torn: what is missing was lost. */
async function cutTail({ directory, startUp: start, start: begin, expect }: Attempt): Promise<void> {
  const data = join(directory, "data")
  const up = await start(data, [])
  const admin = adminOf(up)
  const { names } = await write(admin, "kept", 5, 10)
  admin.leave()
  await up.program.end(10_000)
  const storage = join(data, "storage")
  const logs = readdirSync(storage).filter((name) => /^log-\d+$/.test(name))
  const log = join(storage, logs.sort().at(-1)!)
  truncateSync(log, readFileSync(log).lastIndexOf(frameMark))
  const program = begin(["up", "--json", "--port", "0", "--data-dir", data])
  const result = await within(Promise.race([program.ended, program.untilSays('"milliseconds"').then(() => "up")]), 30_000)
  const isRefused = typeof result === "number" && result !== 0
  expect(
    isRefused,
    `a start with a log that was cut after ${names.length} acknowledged writes to be refused`,
    `${result}: ${program.output}`,
  )
}

/** With a umask that forbids nothing. */
async function fileModes({ directory, expect }: Attempt): Promise<void> {
  const data = join(directory, "data")
  const up = await startUp(data, [], { wrapper: ["sh", "-c", 'umask 000; exec "$@"', "sh"] })
  const names = readdirSync(data, { recursive: true }).map(String)
  const open = names.filter((name) => {
    const { mode } = statSync(join(data, name))
    const holdsSecrets = /kubeconfig|\.key$|^storage|^pki/.test(name)
    return holdsSecrets && (mode & 0o077) !== 0 && !/\.(crt|pub)$/.test(name)
  })
  await up.program.kill()
  expect(open.length === 0, "keys, kubeconfig and storage to be readable to their owner only", open)
}

/** The data directory and who may have it. */
export const storageRows: readonly Row[] = [
  { number: 6, name: "no descriptor is left while an ordinary client writes", server: "none", attempt: noDescriptors },
  { number: 8, name: "two PID namespaces on one data directory", server: "none", attempt: twoNamespaces },
  { number: 9, name: "a data directory whose holder is a zombie", server: "none", attempt: zombieHolder },
  { number: 9, name: "a data directory with the lock of another machine", server: "none", attempt: foreignLock },
  { number: 17, name: "a deleted Secret on disk", server: "none", attempt: deletedSecret },
  { number: 21, name: "a log cut after an orderly end", server: "none", attempt: cutTail },
  { number: 108, name: "file modes with umask 000", server: "none", attempt: fileModes },
]
