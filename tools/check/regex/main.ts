// Proves every regular expression of the published sources linear. Prints those that are not, and ends with 1 if there are any.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { describeFinding } from "../house/rule.ts"
import { readTree } from "../house/tree/read-tree.ts"
import { exemptions } from "./exemptions.ts"
import { linearPatterns } from "./linear-patterns.ts"
import { type Verdict, verdictOf } from "./verdict.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const { version } = createRequire(import.meta.url)("recheck/package.json") as { readonly version: string }
/** A verdict depends on nothing but the expression and the checker: a run proves only what no earlier run on this machine has proven. */
const cache = `${root}node_modules/.cache/pilothouse/regex-${version}.json`

const known = new Map<string, Verdict>(Object.entries(readCache()))
const used = new Map<string, Verdict>()

function readCache(): Record<string, Verdict> {
  try {
    return JSON.parse(readFileSync(cache, "utf8")) as Record<string, Verdict>
  } catch {
    // None yet, or cut short: everything is proven again.
    return {}
  }
}

function cachedVerdictOf(source: string, flags: string): Verdict {
  const key = `/${source}/${flags}`
  const verdict = used.get(key) ?? known.get(key) ?? verdictOf(source, flags)
  used.set(key, verdict)
  return verdict
}

const findings = linearPatterns(exemptions, cachedVerdictOf).check(readTree(root, "packages"))
for (const finding of findings) console.log(describeFinding("regex", finding))
console.log(`${used.size} regular expressions, ${exemptions.length} exempt, ${findings.length} findings`)
mkdirSync(dirname(cache), { recursive: true })
// One that ran out of time on a busy machine is tried again.
writeFileSync(cache, JSON.stringify(Object.fromEntries([...used].filter(([, { status }]) => status !== "unproven"))))
process.exitCode = findings.length === 0 ? 0 : 1
