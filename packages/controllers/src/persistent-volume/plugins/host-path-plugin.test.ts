import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type Files, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import { afterAll, describe, expect, test } from "vitest"
import { volume } from "../testing/objects.ts"
import { hostPathPlugin } from "./host-path-plugin.ts"
import { describedBy } from "./volume-plugin.contract.ts"
import type { VolumePlugin } from "./volume-plugin.ts"

const { signal } = new AbortController()

function at(path: string, name = "mine"): PersistentVolume {
  return volume(name, { spec: { hostPath: { path } } })
}

/** Every way a plugin has of touching what a volume points to. */
const acts: readonly [string, (plugin: VolumePlugin, of: PersistentVolume) => Promise<void> | undefined][] = [
  ["provision", (plugin, of) => plugin.provisioner?.provision(of, signal)],
  ["recycle", (plugin, of) => plugin.recycle?.(of, signal)],
  ["delete", (plugin, of) => plugin.delete?.(of, signal)],
]

describe.each(acts)("%s refuses, and touches nothing", (_verb, act) => {
  test.each<[name: string, path: string]>([
    ["a foreign path", "/etc"],
    ["no path", ""],
    ["the root itself", "/srv/volumes"],
    ["the root with a slash", "/srv/volumes/"],
    ["the root with a dot", "/srv/volumes/."],
    ["what is above the root", "/srv"],
    ["/", "/"],
    ["a neighbour of the root with a longer name", "/srv/volumes-old/a"],
    ["a path that climbs out", "/srv/volumes/../secret"],
    ["a path that climbs out further down", "/srv/volumes/a/../../secret"],
    ["a path that climbs and comes back", "/srv/volumes/a/../b"],
    ["a name that directories have on their way out", "/srv/volumes/.pilothouse-removing-mine"],
    ["a relative path", "srv/volumes/a"],
    ["a directory that was made for another volume", "/srv/volumes/pvc-other"],
    ["a directory inside one that was made for another volume", "/srv/volumes/pvc-other/inside"],
  ])("%s", async (_name, path) => {
    const files = virtualFiles(new VirtualClock())
    for (const file of [
      "/etc/passwd",
      "/srv/secret/key",
      "/srv/volumes/b/file",
      "/srv/volumes/pvc-other/inside/file",
      "/srv/volumes-old/a/file",
    ]) {
      files.write(file, "x")
    }
    const before = everything(files)
    const plugin = hostPathPlugin({ files, root: "/srv/volumes", provisioning: true })
    await expect(act(plugin, at(path))).rejects.toThrow(expect.objectContaining({ code: "INVALID" }))
    expect(everything(files)).toEqual(before)
  })
})

function everything(files: Files, path = ""): readonly string[] {
  const names = files.list(path === "" ? "/" : path).map((name) => `${path}/${name}`)
  return names.flatMap((name) => (files.facts(name)?.directory ? [name, ...everything(files, name)] : [name]))
}

describe("on a real file system", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pilothouse-volumes-")))
  afterAll(() => rmSync(base, { recursive: true }))

  function place() {
    const here = mkdtempSync(join(base, "case-"))
    systemFiles.write(join(here, "outside", "precious"), "x")
    systemFiles.makeDirectory(join(here, "root"))
    const root = join(here, "root")
    return { root, outside: join(here, "outside"), plugin: hostPathPlugin({ files: systemFiles, root, provisioning: true }) }
  }

  test("directories are really made, scrubbed and removed", async () => {
    const { root, plugin } = place()
    const made = describedBy(plugin, "a")
    await plugin.provisioner?.provision(made, signal)
    expect(systemFiles.facts(join(root, "pvc-uid-a"))).toMatchObject({ directory: true, mode: 0o750 })
    systemFiles.write(join(root, "pvc-uid-a", "sub", "file"), "x")
    await plugin.recycle?.(made, signal)
    expect(systemFiles.list(join(root, "pvc-uid-a"))).toEqual([])
    await plugin.delete?.(made, signal)
    expect(systemFiles.list(root)).toEqual([])
  })

  test.each(acts)("%s refuses a link that leads out of the root", async (_verb, act) => {
    const { root, outside, plugin } = place()
    symlinkSync(outside, join(root, "mine"))
    await expect(act(plugin, at(join(root, "mine")))).rejects.toThrow("leads to")
    systemFiles.makeDirectory(join(outside, "inside"))
    await expect(act(plugin, at(join(root, "mine", "inside")))).rejects.toThrow("leads to")
    expect(systemFiles.list(outside)).toEqual(["inside", "precious"])
  })

  test("links inside a volume are taken away, and what they point to stays", async () => {
    const { root, outside, plugin } = place()
    systemFiles.makeDirectory(join(root, "mine"))
    symlinkSync(outside, join(root, "mine", "link"))
    await plugin.recycle?.(at(join(root, "mine")), signal)
    expect(systemFiles.list(join(root, "mine"))).toEqual([])
    symlinkSync(outside, join(root, "mine", "link"))
    await plugin.delete?.(at(join(root, "mine")), signal)
    expect(systemFiles.list(root)).toEqual([])
    expect(systemFiles.list(outside)).toEqual(["precious"])
  })

  test("a link that points nowhere is not taken for a new directory, and is not swept", async () => {
    const { root, outside, plugin } = place()
    symlinkSync(join(outside, "none"), join(root, "pvc-uid-a"))
    await expect(plugin.provisioner?.provision(describedBy(plugin, "a"), signal)).rejects.toThrow(expect.objectContaining({ code: "FILE" }))
    expect(await plugin.provisioner?.unused()).toEqual([])
    expect(systemFiles.list(outside)).toEqual(["precious"])
  })

  /** Just before the call, a link to the outside replaces the directory. */
  function swapped({ root, outside }: ReturnType<typeof place>, at: "rename" | "remove", swap: string): VolumePlugin {
    let swaps = 0
    const quicker = () => {
      if (swaps++ > 0) return
      rmSync(join(root, swap), { recursive: true, force: true })
      symlinkSync(outside, join(root, swap))
    }
    const files: Files = {
      ...systemFiles,
      [at](first: string, second: string) {
        // Whatever a crash might have left under the hidden name is removed first.
        if (at === "rename" || systemFiles.realPath(first) !== undefined) quicker()
        systemFiles[at](first, second)
      },
    }
    return hostPathPlugin({ files, root, provisioning: true })
  }

  describe.each(acts.slice(1))("while it comes to %s, a link takes the place of", (_verb, act) => {
    test.each<[name: string, path: string, swap: string]>([
      ["the volume", "mine", "mine"],
      ["a volume inside another directory", "mine/inside", "mine/inside"],
      ["the directory that the volume is in", "mine/inside", "mine"],
    ])("%s: it is noticed, and nothing of the other side goes", async (_name, path, swap) => {
      const here = place()
      systemFiles.write(join(here.root, path, "own"), "x")
      systemFiles.write(join(here.outside, "own"), "x")
      systemFiles.write(join(here.outside, "inside", "own"), "x")
      await expect(act(swapped(here, "rename", swap), at(join(here.root, path)))).rejects.toThrow("leads to")
      expect(everything(systemFiles, here.outside).map((found) => found.slice(here.outside.length))).toEqual([
        "/inside",
        "/inside/own",
        "/own",
        "/precious",
      ])
      expect(systemFiles.list(here.root)).toEqual(["mine"])
    })

    test.each(["mine", "mine/inside"])("%s at the removal itself: nothing of the other side goes", async (path) => {
      const here = place()
      systemFiles.write(join(here.root, path, "own"), "x")
      systemFiles.write(join(here.outside, "own"), "x")
      await act(swapped(here, "remove", path), at(join(here.root, path)))?.catch(() => undefined)
      expect(systemFiles.list(here.outside)).toEqual(["own", "precious"])
    })
  })

  test.each(acts.slice(1))("%s goes on with what a crash left half done", async (verb, act) => {
    const { root, plugin } = place()
    const path = join(root, "mine")
    for (const name of ["a", "b"]) systemFiles.write(join(path, name), "x")
    const dying: Files = {
      ...systemFiles,
      rename(from, to) {
        if (to === path) throw new Error("the process is gone")
        systemFiles.rename(from, to)
      },
      remove(removed) {
        if (removed.includes("removing")) throw new Error("the process is gone")
      },
    }
    const first = hostPathPlugin({
      files: { ...dying, remove: (gone) => systemFiles.facts(gone) && dying.remove(gone) },
      root,
      provisioning: true,
    })
    await expect(act(first, at(path))).rejects.toThrow("the process is gone")
    expect(systemFiles.list(root)).toHaveLength(1)
    await act(plugin, at(path))
    expect(systemFiles.list(root)).toEqual(verb === "delete" ? [] : ["mine"])
    expect(systemFiles.list(path)).toEqual([])
  })

  test("a root that is a link itself is accepted", async () => {
    const { outside, root } = place()
    const link = `${root}-link`
    symlinkSync(outside, link)
    const plugin = hostPathPlugin({ files: systemFiles, root: link, provisioning: true })
    await plugin.provisioner?.provision(describedBy(plugin, "a"), signal)
    expect(systemFiles.list(outside)).toEqual(["precious", "pvc-uid-a"])
  })
})

test("block volumes are not made, in upstream's words", async () => {
  const plugin = hostPathPlugin({ files: virtualFiles(new VirtualClock()), root: "/srv/volumes", provisioning: true })
  const block = volume("pvc-b", { spec: { volumeMode: "Block", hostPath: { path: "/srv/volumes/pvc-b" } } })
  await expect(plugin.provisioner?.provision(block, signal)).rejects.toThrow(
    "kubernetes.io/host-path does not support block volume provisioning",
  )
})

test("without --enable-hostpath-provisioner nothing is made; what is there is still recycled and deleted", async () => {
  const files = virtualFiles(new VirtualClock())
  const plugin = hostPathPlugin({ files, root: "/srv/volumes", provisioning: false })
  expect(() => describedBy(plugin, "a")).toThrow('provisioning in volume plugin "kubernetes.io/host-path" is disabled')
  files.write("/srv/volumes/mine/file", "x")
  await plugin.delete?.(at("/srv/volumes/mine"), signal)
  expect(files.list("/srv/volumes")).toEqual([])
})

test.each(["", "/", "volumes", "/srv/../etc", "//"])("the root %j is refused", (root) => {
  const files = virtualFiles(new VirtualClock())
  expect(() => hostPathPlugin({ files, root, provisioning: true })).toThrow("expected an absolute directory below / as the root of volumes")
})
