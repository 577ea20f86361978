import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url))

/** Compiles each text as a module of its own, as a project of a user would, and returns its errors by index. */
export function compile(modules: readonly string[]): readonly (readonly string[])[] {
  // Under node_modules: packages are found from there, and no other check reads it.
  const cache = join(root, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "types-"))
  try {
    modules.forEach((text, at) => writeFileSync(join(folder, `m${at}.ts`), text))
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"] }),
    )
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { cwd: folder, encoding: "utf8" })
    return messagesByModule(stdout, modules.length)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** "m3.ts(12,5): error TS2322: …", followed by indented lines. */
function messagesByModule(output: string, count: number): readonly (readonly string[])[] {
  const found: string[][] = Array.from({ length: count }, () => [])
  let last: string[] | undefined
  for (const line of output.split("\n")) {
    const [, at, message] = /^m(\d+)\.ts\(\d+,\d+\): error (TS\d+: .*)$/.exec(line) ?? []
    if (at !== undefined && message !== undefined) {
      last = found[Number(at)]
      last?.push(message)
    } else if (line.startsWith(" ")) last?.push(`${last.pop()}\n${line}`)
    else if (line !== "") throw new Error(`expected errors of the modules alone, found ${line}`)
  }
  return found
}
