import { execFile, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { diskStorage } from "@pilothouse/apiserver"
import { silentLog } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import type { Attempt, Row } from "./row.ts"
import type { Up } from "./server.ts"
import { isTrueWithin } from "./waiting.ts"
import { administrator, Wire } from "./wire.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"

function adminOf({ port, facts }: Up): Wire {
  return new Wire(port, administrator(facts.kubeconfig))
}

async function create(wire: Wire, name: string, size = 100): Promise<number> {
  return (await wire.create(configMaps, { metadata: { name }, data: { x: "y".repeat(size) } })).status
}

/** Names in a storage, which is opened and closed again; or why it cannot be opened. */
async function namesIn(directory: string): Promise<ReadonlySet<string> | string> {
  try {
    const storage = await diskStorage({ directory, clock: systemClock, log: silentLog })
    const names = storage.list("").items.map(({ value }) => value.metadata.name ?? "")
    await storage.close()
    return new Set(names)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** One bit of one file after an orderly end: the directory is refused, or nothing is missing. */
async function bitFlips({ directory, startUp, expect }: Attempt): Promise<void> {
  const data = join(directory, "data")
  const up = await startUp(data, [])
  const admin = adminOf(up)
  const names = Array.from({ length: 50 }, (_, index) => `kept-${index}`)
  for (const name of names) expect((await create(admin, name)) === 201, `${name} to be created`, "that it is not")
  admin.leave()
  await up.program.end(10_000)
  const storage = join(data, "storage")
  const files = readdirSync(storage).filter((name) => statSync(join(storage, name)).size > 0 && statSync(join(storage, name)).isFile())
  const copy = join(directory, "copy")
  let refused = 0
  for (let at = 0; at < 250; at++) {
    rmSync(copy, { recursive: true, force: true })
    cpSync(storage, copy, { recursive: true })
    const file = files[at % files.length]!
    const bytes = readFileSync(join(copy, file))
    // Spread over the file, by a step that has no factor with most lengths.
    const place = (at * 7919) % bytes.length
    bytes[place] = bytes[place]! ^ (1 << (at % 8))
    writeFileSync(join(copy, file), bytes)
    const found = await namesIn(copy)
    if (typeof found === "string") refused++
    else
      expect(
        names.every((name) => found.has(name)),
        `a flipped bit at ${place} of ${file} to be refused or harmless`,
        `that ${names.filter((name) => !found.has(name)).join(", ")} are lost`,
      )
  }
  expect(refused > 100, "most of 250 flipped bits to be refused", refused)
}

/** Copies while it is written to: each can be opened, and has all that was acknowledged before it was begun. */
async function hotCopies({ directory, startUp, expect }: Attempt): Promise<void> {
  const data = join(directory, "data")
  const up = await startUp(data, [])
  const admin = adminOf(up)
  const acknowledged: string[] = []
  const over = new AbortController()
  let copies = 0
  const writer = async (number: number) => {
    for (let index = 0; !over.signal.aborted; index++)
      if ((await create(admin, `w${number}-${index}`, 2000)) === 201) acknowledged.push(`w${number}-${index}`)
  }
  const writers = Array.from({ length: 8 }, (_, number) => writer(number))
  for (let at = 0; at < 20; at++) {
    await isTrueWithin(() => acknowledged.length >= (at + 1) * 50, 20_000)
    const before = [...acknowledged]
    const copy = join(directory, `copy-${at}`)
    // Beside the writers. A file that was replaced meanwhile is missing in this copy, and cp says so: that is no copy.
    const isCopied = await promisify(execFile)("cp", ["-r", join(data, "storage"), copy]).then(
      () => true,
      () => false,
    )
    if (!isCopied) continue
    copies++
    const found = await namesIn(copy)
    expect(typeof found !== "string", `copy ${at} to be opened`, found)
    const lost = typeof found === "string" ? [] : before.filter((name) => !found.has(name))
    expect(lost.length === 0, `copy ${at} to have all ${before.length} acknowledged writes`, `that ${lost.length} are missing`)
    rmSync(copy, { recursive: true, force: true })
  }
  over.abort()
  expect(copies >= 10, "ten of 20 copies to be made", copies)
  await Promise.all(writers)
  admin.leave()
}

/** A disk without room: refused with 503 and a reason, reads go on, nothing acknowledged is lost, and writes go on when there is room. */
async function fullDisk({ directory, startUp, expect, expectStatus, skip }: Attempt): Promise<void> {
  const disk = join(directory, "disk")
  mkdirSync(disk)
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "none", disk])
  if (mounted.status !== 0) skip(`no file system can be mounted here: ${mounted.error?.message ?? mounted.stderr}`)
  await using _disk = { [Symbol.asyncDispose]: async () => void spawnSync("umount", ["-l", disk]) }
  const data = join(disk, "data")
  const up = await startUp(data, [])
  const admin = adminOf(up)
  const names: string[] = []
  let refusal = 0
  for (let index = 0; index < 100 && refusal === 0; index++) {
    const status = await create(admin, `full-${index}`, 500_000)
    if (status === 201) names.push(`full-${index}`)
    else refusal = status
  }
  // Whatever is left is smaller than an object of 500 KB.
  writeFileSync(join(disk, "ballast"), "")
  spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "ballast")}`, "bs=4096"])
  expect(refusal === 503 || refusal === 500, "writes to a full disk to be refused with 503", refusal)
  const refused = await admin.create(configMaps, { metadata: { name: "refused" }, data: { x: "y".repeat(500_000) } })
  expect(/disk is full/.test(refused.text), "a refusal that says that the disk is full", refused.text)
  expectStatus("a list meanwhile", await admin.send({ path: `${configMaps}?limit=1` }), 200)
  expectStatus("/livez meanwhile", await admin.send({ path: "/livez" }), 200)
  rmSync(join(disk, "ballast"))
  // Longer than the file system was: room for one more.
  spawnSync("mount", ["-o", "remount,size=64m", disk])
  const goesOn = await isTrueWithin(async () => (await create(admin, `again-${Math.round(performance.now())}`)) === 201, 20_000)
  expect(goesOn, "writes to go on when there is room", "none within 20 s")
  admin.leave()
  await up.program.kill()
  const found = await namesIn(join(data, "storage"))
  const lost = typeof found === "string" ? [found] : names.filter((name) => !found.has(name))
  expect(lost.length === 0, "every acknowledged write after kill -9", lost)
}

const events = 60_000

/** Events by the ten thousand, as a controller in trouble writes them. */
async function manyEvents({ admin, expect, expectTurns }: Attempt): Promise<void> {
  const path = "/api/v1/namespaces/default/events"
  const involvedObject = { kind: "Pod", namespace: "default", name: "p", apiVersion: "v1" }
  let [next, created] = [0, 0]
  const writer = async () => {
    while (next < events) {
      const name = `e-${next++}`
      const { status } = await admin.create(path, { metadata: { name }, involvedObject, reason: "R", message: "m", type: "Normal" })
      if (status === 201) created++
    }
  }
  await Promise.all(Array.from({ length: 64 }, writer))
  expect(created === events, `${events} Events to be created`, created)
  await expectTurns(`${events} Events`)
  const answer = await admin.send({ path: `${path}?limit=1` })
  expect(JSON.parse(answer.text).metadata.remainingItemCount >= events - 1, `${events} Events to be there`, answer.text.slice(0, 300))
}

/** What a data directory and a disk can suffer, and what fills them. */
export const diskRows: readonly Row[] = [
  { number: 113, name: "250 flipped bits in a data directory", server: "none", attempt: bitFlips },
  { number: 114, name: "20 copies of a data directory that is written to", server: "none", attempt: hotCopies },
  { number: 115, name: "a full disk", server: "none", attempt: fullDisk },
  { number: 116, name: `${events} Events`, server: "up", memory: 250, attempt: manyEvents },
]
