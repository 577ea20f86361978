import { PilothouseError, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { openDataDirectory } from "./data-directory.ts"
import type { Owner, OwnerSystem } from "./directory-owner.ts"

const path = "/home/me/.pilothouse"

function failure(action: () => unknown): PilothouseError {
  try {
    action()
  } catch (error) {
    if (error instanceof PilothouseError) return error
  }
  throw new Error("expected a PilothouseError")
}

/** A machine with one data directory, on which processes are started. */
function machine() {
  const files = virtualFiles(new VirtualClock())
  const locks = new Set<string>()
  const running = new Set<number>()
  const withOpenFiles = new Set<number>()
  let ids = 0
  const state = { withoutLocks: false }
  const system = (self: Owner): OwnerSystem => ({
    self,
    newId: () => `id-${ids++}`,
    lock(file) {
      if (state.withoutLocks) throw new PilothouseError("DATA_DIRECTORY", `${file} cannot be locked`)
      if (locks.has(file)) return undefined
      locks.add(file)
      return { [Symbol.dispose]: () => void locks.delete(file) }
    },
    isRunning: ({ pid, host, namespace }) => running.has(pid) && host === self.host && namespace === self.namespace,
    hasOpenFiles: (pid) => withOpenFiles.has(pid),
    follow: (file, text) => () => new TextDecoder().decode(files.read(file)) === text,
  })
  const open = (pid: number, { ephemeral = false, ...other }: Partial<Owner> & { ephemeral?: boolean } = {}) => {
    const directory = openDataDirectory({ files, path, ephemeral, system: system({ pid, host: "here", namespace: "pid:[1]", ...other }) })
    running.add(pid)
    return directory
  }
  /** As kill -9: the kernel gives the lock back, and the files stay. */
  const kill = (pid: number) => {
    running.delete(pid)
    locks.clear()
  }
  return { files, locks, running, state, open, kill, withOpenFiles, names: () => files.list(path) }
}

test("a directory is made and locked, and free again afterwards", () => {
  const { open, names, locks, files } = machine()
  const directory = open(100)
  expect(names()).toEqual(["pilothouse.lock", "pilothouse.owner"])
  expect([files.facts(path)?.mode, ...names().map((name) => files.facts(`${path}/${name}`)?.mode)]).toEqual([0o700, 0o600, 0o600])
  directory[Symbol.dispose]()
  // The file of the lock stays: another process may have it open.
  expect([names(), locks.size]).toEqual([["pilothouse.lock"], 0])
  open(200)
})

test.each([
  ["process 100", {}],
  ["process 100 on web-7", { host: "web-7" }],
  ["process 100 of another container (pid:[2])", { namespace: "pid:[2]" }],
])("a directory that %s has is refused with its name, wherever it runs", (name, first) => {
  const { open, names } = machine()
  open(100, first)
  const before = names()
  const error = failure(() => open(200))
  expect(error.code).toBe("DATA_DIRECTORY_LOCKED")
  expect(error.message).toBe(`the data directory ${path} is in use by ${name}; stop it, or choose another with --data-dir`)
  expect(names()).toEqual(before)
})

test("two processes with the same number, of two containers: the second is refused", () => {
  const { open } = machine()
  open(1, { host: "a", namespace: "pid:[1]" })
  expect(failure(() => open(1, { host: "b", namespace: "pid:[2]" })).message).toContain("in use by process 1 on a;")
})

test("a second process is shown where the cluster of the first is", () => {
  const { open } = machine()
  open(100).describeOwner({ url: "https://127.0.0.1:6443", kubeconfig: "/k" })
  expect(failure(() => open(200)).message).toBe(
    `the data directory ${path} is in use by process 100; stop it, or choose another with --data-dir\nA cluster is up there at https://127.0.0.1:6443:\n  export KUBECONFIG=/k`,
  )
})

test("the directory of a process that was killed is taken over", () => {
  const { open, kill } = machine()
  open(100)
  kill(100)
  open(200)
})

test.each([
  [true, false],
  [false, true],
  [true, true],
])("ephemeral %s and then ephemeral %s: the second is refused while the first runs, in another container too", (first, second) => {
  for (const namespace of ["pid:[1]", "pid:[2]"]) {
    const { open, kill } = machine()
    const owner = open(100, { ephemeral: first })
    expect(failure(() => open(200, { ephemeral: second, namespace })).message).toMatch(/in use by process 100[ ;]/)
    expect(owner.isOwner()).toBe(true)
    kill(100)
    open(200, { ephemeral: second, namespace })
  }
})

test("on a file system without locks an ephemeral cluster starts, a second one is refused, and so is one that keeps its objects", () => {
  const { open, state } = machine()
  state.withoutLocks = true
  expect(failure(() => open(100)).message).toContain("cannot be locked")
  open(200, { ephemeral: true })
  expect(failure(() => open(300, { ephemeral: true })).message).toContain("in use by process 200;")
})

test("a process that has the number of a killed owner by chance does not keep others out, where the system has no start times", () => {
  const { open, kill, running } = machine()
  open(100)
  kill(100)
  running.add(100)
  expect(open(200).isOwner()).toBe(true)
})

test("an owner that certainly runs keeps others out although its lock file was removed", () => {
  const { open, locks } = machine()
  open(100, { started: "boot:1" })
  locks.clear()
  expect(failure(() => open(200)).message).toContain("in use by process 100;")
})

test.each(["removed", "replaced"])(
  "an owner whose files were %s knows that it is none any more, and leaves those of the new one",
  async (how) => {
    const { files, open, kill, names } = machine()
    const first = open(100)
    expect(first.isOwner()).toBe(true)
    if (how === "removed") files.remove(`${path}/pilothouse.owner`)
    else {
      kill(100)
      open(200)
    }
    expect(first.isOwner()).toBe(false)
    const found = how === "removed" ? "that its files were removed or replaced" : "it in use by process 200"
    await expect(first.lost).rejects.toMatchObject({
      code: "DATA_DIRECTORY_LOCKED",
      message: `expected ${path} to be the data directory of process 100, found ${found}; this process acknowledged no write since, and ends: start it again with another --data-dir`,
    })
    const before = names()
    first.describeOwner({ url: "https://127.0.0.1:6443", kubeconfig: "/k" })
    first[Symbol.dispose]()
    expect(names()).toEqual(before)
    expect(first.isOwner()).toBe(false)
  },
)

test("describing its cluster does not make an owner lose the directory", () => {
  const { open } = machine()
  const directory = open(100)
  directory.describeOwner({ url: "https://127.0.0.1:6443", kubeconfig: "/k" })
  expect(directory.isOwner()).toBe(true)
})

test("a lock of an earlier version is cleared away, unless its process has files of the directory open", () => {
  const { files, open, names, withOpenFiles } = machine()
  files.write(`${path}/lock-1`, "1")
  withOpenFiles.add(1)
  expect(failure(() => open(100)).message).toBe(
    `the data directory ${path} is in use by process 1; stop it, or choose another with --data-dir`,
  )
  expect(names()).toContain("lock-1")
  withOpenFiles.clear()
  open(100)
  expect(names()).not.toContain("lock-1")
})

test.each(["", "null", "{", "7", '{"pid":"x"}'])("an owner file with %j names no process", (text) => {
  const { files, open, kill } = machine()
  open(100)
  kill(100)
  files.write(`${path}/pilothouse.owner`, text)
  open(200)
  files.write(`${path}/pilothouse.owner`, text)
  expect(failure(() => open(300)).message).toContain("in use by another process;")
})

test("a file where the directory should be", () => {
  const { files, open } = machine()
  files.write(path, "not a directory")
  const error = failure(() => open(100))
  expect(error.code).toBe("DATA_DIRECTORY")
  expect(error.message).toBe(`expected a directory at ${path}, found a file; remove it or choose another with --data-dir`)
})

test("a directory that cannot be written", () => {
  const { files, open } = machine()
  files.write = () => {
    throw new PilothouseError("FILE", "could not write (EACCES)")
  }
  const error = failure(() => open(100))
  expect(error.code).toBe("DATA_DIRECTORY")
  expect(error.message).toBe(`the data directory ${path} cannot be used: could not write (EACCES); choose another with --data-dir`)
})

test.each([
  ["a user's files", ["README.md", "src/a.ts"], "README.md, src"],
  ["many of them", ["a", "b", "c", "d"], "a, b, c, …"],
])("%s are no data directory, and are left alone", (_what, names, shown) => {
  const { files, open } = machine()
  for (const name of names) files.write(`${path}/${name}`, "text")
  const before = files.list(path)
  const error = failure(() => open(100))
  expect(error.code).toBe("DATA_DIRECTORY")
  expect(error.message).toBe(
    `expected ${path} to be empty or a data directory of Pilothouse, found ${shown}; nothing was changed; choose another with --data-dir`,
  )
  expect(files.list(path)).toEqual(before)
})

test.each(["lost+found/x", "pki/ca.crt", "storage/log-00000001", "run/ca.crt", "kubeconfig", "lock-7", "pilothouse.lock"])(
  "one with %s is taken",
  (name) => {
    const { files, open } = machine()
    files.write(`${path}/${name}`, "text")
    files.write(`${path}/${name === "lost+found/x" ? name : "notes.txt"}`, "text")
    expect(open(100).path).toBe(path)
  },
)
