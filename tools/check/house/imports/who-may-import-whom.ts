import { isBuiltin } from "node:module"
import type { Finding, Rule } from "../rule.ts"
import type { Import, Module } from "../tree/module.ts"
import { placeOf } from "../tree/place.ts"
import { exportTarget, isRelative, relativeTarget, splitSpecifier } from "../tree/resolve.ts"
import type { Manifest, Tree } from "../tree/tree.ts"
import { borderCrossings, mayImport, pureRooms, systemFiles, systemUsers } from "./rooms.ts"

/** Imports go only where ARCHITECTURE.md's table lets them, through a package's front door. */
export const whoMayImportWhom: Rule = {
  name: "imports",
  check({ modules, manifests }) {
    const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]))
    return modules.flatMap((module) => module.imports.flatMap((one) => judge(module, one, byName)))
  },
}

type Verdict = Omit<Finding, "file" | "line">

function judge(module: Module, one: Import, byName: ReadonlyMap<string, Manifest>): Finding[] {
  const verdict = isRelative(one.specifier) ? judgeRelative(module, one) : judgeBare(module, one, byName)
  return verdict ? [{ file: module.path, line: one.line, ...verdict }] : []
}

function judgeRelative({ path }: Module, { specifier }: Import): Verdict | undefined {
  const [from, to] = [placeOf(path), placeOf(relativeTarget(path, specifier))]
  const crosses = from.room !== to.room || (from.room === undefined && to.top === "packages")
  if (!crosses || path in borderCrossings) return undefined
  const target = to.room ?? to.top
  return {
    expected: "relative imports to stay in their package",
    found: specifier,
    fix: `import what the index of ${target} exports, by its package name`,
  }
}

function judgeBare(module: Module, { specifier }: Import, byName: ReadonlyMap<string, Manifest>): Verdict | undefined {
  if (specifier.startsWith("node:")) return judgeNode(module, specifier)
  if (isBuiltin(specifier)) {
    return { expected: "Node's own modules with their prefix", found: `"${specifier}"`, fix: `write "node:${specifier}"` }
  }
  const { name, subpath } = splitSpecifier(specifier)
  const manifest = byName.get(name)
  return manifest ? judgeWorkspace(module, manifest, subpath) : undefined
}

function judgeNode({ path }: Module, specifier: string): Verdict | undefined {
  const { room, source, test } = placeOf(path)
  if (room === undefined || !pureRooms.includes(room) || !source || test || path.startsWith("packages/seams/src/system/")) return undefined
  return { expected: `no Node API in ${room}`, found: `"${specifier}"`, fix: "take what is needed as a parameter, behind a seam" }
}

function judgeWorkspace({ path }: Module, target: Manifest, subpath: string): Verdict | undefined {
  const from = placeOf(path)
  const to = placeOf(target.path).room ?? ""
  if (from.room !== undefined && from.room !== to) {
    const allowed = [...(mayImport[from.room] ?? []), ...(from.test ? ["testing"] : [])]
    if (!allowed.includes(to)) {
      const list = allowed.length === 0 ? "nothing" : allowed.join(", ")
      return {
        expected: `${from.room} to import only ${list}`,
        found: target.name,
        fix: "pass it in, or move the code to the room it belongs to",
      }
    }
  }
  if (from.room !== undefined && from.room === to && !from.test) {
    return { expected: "a relative path inside a package", found: `its own name, ${target.name}`, fix: "import the file itself" }
  }
  if (exportTarget(target, subpath) === undefined) {
    const declared = Object.keys(target.exports ?? {}).join(", ")
    return {
      expected: `an export of ${target.name} (${declared})`,
      found: `"${subpath}"`,
      fix: `export it from there, or declare the subpath in ${target.path}`,
    }
  }
  return to === "seams" && subpath === "./system" ? judgeSystem(path) : undefined
}

function judgeSystem(path: string): Verdict | undefined {
  const { room, test } = placeOf(path)
  if (room === undefined || test || systemUsers.includes(room) || path in systemFiles) return undefined
  return {
    expected: `@pilothouse/seams/system only in ${systemUsers.join(", ")}, tests and tools`,
    found: `it in ${room}`,
    fix: "take the clock, the files or the randomness as a parameter",
  }
}

/** The rooms the table knows, for the message of an unknown one. */
export const everyRoomIsInTheTable: Rule = {
  name: "rooms",
  check({ manifests }: Tree) {
    return manifests.flatMap(({ path }) => {
      const { room } = placeOf(path)
      if (room === undefined || room in mayImport) return []
      return [
        {
          file: path,
          line: 1,
          expected: `one of the rooms ${Object.keys(mayImport).join(", ")}`,
          found: room,
          fix: "add it to rooms.ts and ARCHITECTURE.md",
        },
      ]
    })
  },
}
