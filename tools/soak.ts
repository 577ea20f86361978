// Runs one soak: npm run soak -- <name> [--seed n] [--rounds n …] [--rows n,n …]. Ends with "N passed, N failed" alone on the last line.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { seededRandom } from "@pilothouse/seams"
import { systemRandom } from "@pilothouse/seams/system"
import type { Soak } from "../tests/soak/soak.ts"

const folder = join(import.meta.dirname, "..", "tests", "soak")
const [name, ...args] = process.argv.slice(2)
const numbers = numbersIn(args)
if (name === undefined || name === "soak" || !existsSync(join(folder, `${name}.ts`))) {
  const known = readdirSync(folder).filter((file) => file.endsWith(".ts") && file !== "soak.ts")
  usage(`expected the name of a soak, found ${name ?? "none"}; there are ${known.map((file) => file.slice(0, -3)).join(", ")}`)
} else if (numbers === undefined) usage(`expected --<name> <whole number>, or several with commas, found ${args.join(" ")}`)
else await run(name, numbers)

function usage(message: string): void {
  console.error(message)
  process.exitCode = 2
}

/** --rounds 200 --seed=7 --rows 1,5,8; undefined when there is anything else. */
function numbersIn(given: readonly string[]): ReadonlyMap<string, readonly number[]> | undefined {
  const text = given.join(" ").replaceAll("=", " ")
  if (text !== "" && !/^(--[a-z-]+ \d+(,\d+)* ?)+$/.test(text)) return undefined
  return new Map([...text.matchAll(/--([a-z-]+) ([\d,]+)/g)].map((match) => [match[1]!, match[2]!.split(",").map(Number)]))
}

async function run(soakName: string, given: ReadonlyMap<string, readonly number[]>): Promise<void> {
  const { soak }: { soak: Soak } = await import(pathToFileURL(join(folder, `${soakName}.ts`)).href)
  const seed = given.get("seed")?.[0] ?? systemRandom().int(2 ** 32)
  console.log(`seed ${seed}: --seed ${seed} runs the same again, as far as the machine's speed does not matter`)
  let [passed, failed] = [0, 0]
  await soak({
    random: seededRandom(seed),
    number: (option, usual) => given.get(option)?.[0] ?? usual,
    numbers: (option) => given.get(option),
    print: (line) => console.log(line),
    passed: (count = 1) => {
      passed += count
    },
    failed: (message) => {
      failed++
      console.log(`FAILED ${message}`)
    },
  })
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}
