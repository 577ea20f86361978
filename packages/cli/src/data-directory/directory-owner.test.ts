import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest"
import { ownerSystem } from "./directory-owner.ts"

let folder = ""

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pilothouse-owner-"))
})

afterEach(() => rmSync(folder, { recursive: true }))

/** Another process that takes the lock and says whether it has it. */
async function holder(path: string) {
  const module = new URL("directory-owner.ts", import.meta.url).href
  const script = `const { ownerSystem } = await import(${JSON.stringify(module)}); console.log(ownerSystem.lock(process.argv[1]) ? "held" : "taken"); setInterval(() => {}, 1000)`
  const flags = ["--conditions=@pilothouse/source", "--input-type=module", "-e", script]
  const child = spawn(process.execPath, [...flags, path], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [said] = (await once(child.stdout, "data")) as [Buffer]
  return { said: said.toString().trim(), child }
}

test("a lock keeps every other opener out, of this process too, until it is disposed; the file stays empty and alone", () => {
  const path = join(folder, "lock")
  const first = ownerSystem.lock(path)
  expect(first).toBeDefined()
  expect(ownerSystem.lock(path)).toBeUndefined()
  // A refused opener closes the file: that must not release the lock.
  expect(ownerSystem.lock(path)).toBeUndefined()
  expect([readdirSync(folder), statSync(path).size]).toEqual([["lock"], 0])
  first?.[Symbol.dispose]()
  using second = ownerSystem.lock(path)
  expect(second).toBeDefined()
})

test("a lock holds against another process, and the kernel gives it back when that is killed", async () => {
  const path = join(folder, "lock")
  const other = await holder(path)
  expect(other.said).toBe("held")
  expect(ownerSystem.lock(path)).toBeUndefined()
  other.child.kill("SIGKILL")
  await once(other.child, "exit")
  using mine = ownerSystem.lock(path)
  expect(mine).toBeDefined()
  expect((await holder(path)).said).toBe("taken")
})

test("no warning is printed when the lock is loaded, and others are as before", async () => {
  const warned: unknown[] = []
  const listener = (warning: Error) => warned.push(warning.message)
  process.on("warning", listener)
  onTestFinished(() => void process.removeListener("warning", listener))
  using _lock = ownerSystem.lock(join(folder, "lock"))
  process.emitWarning("of another kind")
  await new Promise(setImmediate)
  expect(warned).toEqual(["of another kind"])
})

test("a place that cannot be locked is refused with a way out", () => {
  const path = join(folder, "lock")
  writeFileSync(path, "no database at all, and long enough to be looked at: ".repeat(20))
  expect(() => ownerSystem.lock(path)).toThrow(/lock cannot be locked \(.*\); use a directory on a file system with POSIX locks/)
})

test("this process runs; one with its number that started at another time, in another namespace or that is gone does not", async () => {
  const { self } = ownerSystem
  expect(self).toMatchObject({ pid: process.pid, host: hostname() })
  expect(ownerSystem.isRunning(self)).toBe(true)
  if (self.started === undefined) return
  expect(ownerSystem.isRunning({ ...self, started: `${self.started}0` })).toBe(false)
  expect(ownerSystem.isRunning({ ...self, namespace: "pid:[0]" })).toBe(false)
  expect(ownerSystem.isRunning({ ...self, pid: 1 })).toBe(false)
})

test("where the system does not tell when a process started, its number on the same machine is what counts", () => {
  const self = { pid: process.pid, host: hostname() }
  expect(ownerSystem.isRunning(self)).toBe(true)
  expect(ownerSystem.isRunning({ ...self, host: "elsewhere" })).toBe(false)
})

test.runIf(process.platform === "linux")("a zombie neither runs nor holds a lock", async () => {
  const path = join(folder, "lock")
  const module = new URL("directory-owner.ts", import.meta.url).href
  const child = `const { ownerSystem } = await import(${JSON.stringify(module)}); ownerSystem.lock(${JSON.stringify(path)}); console.log(JSON.stringify(ownerSystem.self)); process.kill(process.pid, "SIGKILL")`
  // A shell that has started it and never waits for it: exec replaces the shell, and sleep knows of no child.
  const shell = `"$0" --conditions=@pilothouse/source --input-type=module -e "$1" & exec sleep 60`
  const parent = spawn("sh", ["-c", shell, process.execPath, child], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void parent.kill("SIGKILL"))
  const [said] = (await once(parent.stdout, "data")) as [Buffer]
  const zombie = JSON.parse(said.toString())
  while (ownerSystem.isRunning(zombie)) await new Promise(setImmediate)
  // It is still there for who only asks for its number.
  expect(process.kill(zombie.pid, 0)).toBe(true)
  // Its other threads end, and with the last one its descriptors, in the same moment or in the next.
  let mine = ownerSystem.lock(path)
  for (; mine === undefined; mine = ownerSystem.lock(path)) await new Promise(setImmediate)
  expect(process.kill(zombie.pid, 0)).toBe(true)
  mine[Symbol.dispose]()
})

test.runIf(process.platform === "linux")("files that a process has open are seen below their directory", () => {
  expect(ownerSystem.hasOpenFiles(process.pid, folder)).toBe(false)
  using _lock = ownerSystem.lock(join(folder, "lock"))
  expect(ownerSystem.hasOpenFiles(process.pid, folder)).toBe(true)
  expect(ownerSystem.hasOpenFiles(process.pid, folder.slice(0, -1))).toBe(false)
})

test.each([
  [
    "another file is there",
    (path: string) => {
      writeFileSync(`${path}.new`, "again")
      renameSync(`${path}.new`, path)
    },
  ],
  ["it is gone", (path: string) => rmSync(path)],
  ["its directory is another one", (path: string) => renameSync(dirname(path), `${dirname(path)}-moved`)],
])("a path is followed until %s", (_what, change) => {
  const path = join(folder, "a", "owner")
  mkdirSync(dirname(path))
  writeFileSync(path, "first")
  const isThere = ownerSystem.follow(path, "first")
  writeFileSync(path, "the same file with another text")
  expect(isThere()).toBe(true)
  change(path)
  expect(isThere()).toBe(false)
})

test("a path is followed where the file system gives the same file another number, until another text is there", () => {
  const path = join(folder, "owner")
  const replace = (text: string) => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  }
  writeFileSync(path, "first")
  const isThere = ownerSystem.follow(path, "first")
  replace("first")
  expect([isThere(), isThere()]).toEqual([true, true])
  replace("second")
  expect(isThere()).toBe(false)
})

test("a file that was replaced before it is followed is another one", () => {
  const path = join(folder, "owner")
  writeFileSync(path, "second")
  expect(ownerSystem.follow(path, "first")()).toBe(false)
})
