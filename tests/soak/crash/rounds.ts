import { spawn } from "node:child_process"
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { diskStorage } from "@pilothouse/apiserver"
import { type Random, silentLog } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { Copy, type Said } from "./copy.ts"
import { cutsOfLastFrame, imageOf } from "./cut-last-frame.ts"

/** Of the places at which the last frame is cut, in its middle: it has up to 10 KB, and each place takes two starts. */
const stride = 61

const writer = fileURLToPath(new URL("writer.ts", import.meta.url))

export interface Round {
  readonly killedAfter: string
  readonly acknowledged: number
  readonly revision: number
}

/** A storage, a writer that is killed again and again, and all that is known of what it wrote. It lives for at most so many lines. */
export function crashRounds(directory: string, random: Random, maxLife: number) {
  const copy = new Copy()
  // A writer that dies while it opens may leave no log behind: there is nothing to damage before the first write.
  let isWritten = false
  return async (): Promise<Round> => {
    // Some die while they open, some at once, most at work.
    const lines = random.int(8) === 0 ? random.int(3) : random.int(maxLife)
    const received = await untilKilled(directory, random.int(2 ** 32), lines)
    for (const { word, said } of received) {
      if (word === "seen") copy.see(said)
      else copy.remember(said)
    }
    isWritten ||= received.some(({ word }) => word === "done")
    if (random.int(3) === 0 && isWritten) await damageIsRefused(directory, random)
    if (random.int(3) === 0 && isWritten) tearTail(directory, random)
    const acknowledged = received.filter(({ word }) => word === "done").map(({ said }) => said)
    // On a busy machine the first writer may die before it has made its directory.
    if (existsSync(directory)) await cutsOfLastFrame(imageOf(directory), directory, acknowledged, random, stride)
    const storage = await diskStorage({ directory, clock: systemClock, log: silentLog })
    copy.resume(storage, acknowledged)
    // Every other time the next writer finds a crash of its own making.
    if (random.int(2) === 0) await storage.close()
    return { killedAfter: `${lines} lines`, acknowledged: acknowledged.length, revision: storage.revision }
  }
}

interface Received {
  readonly word: string
  readonly said: Said
}

/** What the writer said until it was killed, which is when it has said so many lines. */
function untilKilled(directory: string, seed: number, lines: number): Promise<readonly Received[]> {
  const args = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", writer, directory, String(seed)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
  const received: Received[] = []
  let [count, complaint] = [0, ""]
  child.stderr.on("data", (chunk: Buffer) => {
    complaint += chunk.toString()
  })
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [word = "", revision, type = "", key = "", name] = line.split(" ")
    // A line that was cut off has no name, or a part of one: what is not whole was not said.
    if (name !== undefined) received.push({ word, said: { revision: Number(revision), type, key, name } })
    if (count++ === lines) child.kill("SIGKILL")
  })
  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (_code, signal) =>
      signal === "SIGKILL" ? resolve(received) : reject(new Error(`the writer failed: ${complaint}`)),
    )
  })
}

function newestLog(directory: string): string {
  return join(
    directory,
    readdirSync(directory)
      .filter((name) => /^log-\d+$/.test(name))
      .sort()
      .at(-1)!,
  )
}

function wholeSize(bytes: Buffer): number {
  let size = bytes.length
  while (bytes[size - 1] === 0) size--
  return size
}

/** What every batch of writes in a log begins with. */
const frameMark = Buffer.from([0xff, 0xfe, 0x50, 0x48])

/** As when the power fails: a part of one more write, some of its sectors still zero. */
function tearTail(directory: string, random: Random): void {
  const path = newestLog(directory)
  const bytes = readFileSync(path)
  const size = wholeSize(bytes)
  const frame = Buffer.from(bytes.subarray(bytes.lastIndexOf(frameMark), size))
  const torn = frame.subarray(0, 1 + random.int(frame.length - 1))
  if (random.int(2) === 0 && torn.length > 200) torn.fill(0, random.int(100), 100 + random.int(100))
  if (wholeSize(torn) === 0) return
  writeFileSync(path, Buffer.concat([bytes.subarray(0, size), torn, Buffer.alloc(random.int(5000))]))
}

/** A changed byte in what was written whole: refused, and the file is left as it is. */
async function damageIsRefused(directory: string, random: Random): Promise<void> {
  const path = newestLog(directory)
  const bytes = readFileSync(path)
  const size = wholeSize(bytes)
  copyFileSync(path, `${directory}.log`)
  bytes[random.int(size)]! ^= 1 << random.int(7)
  writeFileSync(path, bytes)
  const refused = await diskStorage({ directory, clock: systemClock }).then(
    () => "opened",
    (error: Error) => error.message,
  )
  if (!refused.includes("nothing was changed")) throw new Error(`expected a damaged log to be refused, found: ${refused}`)
  if (!readFileSync(path).equals(bytes)) throw new Error("a refused log was changed")
  copyFileSync(`${directory}.log`, path)
}
