import { execFile } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { parseAllDocuments } from "yaml"
import { isRecord, type JsonObject } from "../api/objects/object.ts"
import type { Project } from "./projects.ts"

const run = promisify(execFile)

/** Downloads the module of a project into Go's cache, where it stays, and returns its folder. */
export async function moduleFolder({ module, version }: Project): Promise<string> {
  const { stdout } = await run("go", ["mod", "download", "-json", `${module}@${version}`], {
    cwd: tmpdir(),
    env: { ...process.env, GOWORK: "off" },
  })
  return (JSON.parse(stdout) as { Dir: string }).Dir
}

export function definitionsIn(folder: string, { definitions }: Project): readonly CustomResourceDefinition[] {
  return definitions
    .flatMap((path) => documentsIn(join(folder, path), Number.POSITIVE_INFINITY))
    .filter(({ kind }) => kind === "CustomResourceDefinition") as never as CustomResourceDefinition[]
}

/** Objects of the given kinds anywhere in the module: examples, documentation, tests. */
export function samplesIn(folder: string, kinds: ReadonlySet<string>): readonly JsonObject[] {
  return documentsIn(folder, largestFile).filter(({ apiVersion, kind }) => kinds.has(`${String(apiVersion)}/${String(kind)}`))
}

/** Bytes of a file with samples. Larger files are whole installations, whose objects stand in files of their own too. */
const largestFile = 1024 * 1024

function documentsIn(path: string, limit: number): readonly JsonObject[] {
  if (statSync(path).isDirectory())
    return readdirSync(path)
      .toSorted()
      .flatMap((name) => documentsIn(join(path, name), limit))
  if (!/\.ya?ml$/.test(path) || statSync(path).size > limit) return []
  const text = readFileSync(path, "utf8")
  // Templates of charts and of test programs are no YAML yet.
  if (/\{\{|\$\{[A-Z_]+/.test(text) && !text.includes("kind: CustomResourceDefinition")) return []
  return parsed(text).filter(isRecord)
}

function parsed(text: string): readonly unknown[] {
  try {
    const documents = parseAllDocuments(text, { merge: true })
    return Array.isArray(documents) ? documents.flatMap((document) => (document.errors.length > 0 ? [] : [document.toJS() as unknown])) : []
  } catch {
    // Test data of a parser, for instance.
    return []
  }
}
