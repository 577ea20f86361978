import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type CallExpression, type Expression, parseSync, Visitor } from "oxc-parser"
import { describe, expect, test } from "vitest"
import { controllers } from "../controllers.ts"
import { createControllers } from "../create-controllers.ts"
import type { KubeControllerDescriptor } from "../shared/descriptor.ts"

const src = join(import.meta.dirname, "..")
/** The file of a folder that has the controller's descriptor. */
const descriptorFile = (folder: string) => ["entry.ts", "controller.ts"].find((file) => existsSync(join(src, folder, file)))
const folders = readdirSync(src).filter((folder) => descriptorFile(folder) !== undefined)

/** Controllers that change nothing on the server, by their nature. */
const writeNothing: Readonly<Record<string, string>> = {
  "persistentvolume-sweeper-controller": "it removes what a plugin has; faults.test.ts counts the directories",
  "selinux-warning-controller": "it writes Events and metrics alone; controller.test.ts reads them",
}

/** Without them some controllers of the table are left out. */
const given = {
  settings: { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16" },
  needs: { rootCa: "CA", signToken: () => "signed", signers: {} },
}

/** Returns the descriptor that a folder adds to the table. */
async function descriptorIn(folder: string): Promise<KubeControllerDescriptor> {
  const exported = (await import(`../${folder}/${descriptorFile(folder)}`)) as Record<string, KubeControllerDescriptor>
  const [found, ...more] = Object.entries(exported).filter(([name]) => name.endsWith("Descriptor"))
  expect(more).toEqual([])
  return found![1]
}

/**
 * The controllers that the scenarios of a folder name as their writers. crashPoints() throws where one of them wrote nothing in the run without a crash,
 * known by the user agent of the requests: a name that stands here has been seen to write.
 */
function writersIn(folder: string): readonly string[] {
  const tests = readdirSync(join(src, folder)).filter((file) => file.endsWith(".test.ts"))
  return [...new Set(tests.flatMap((file) => sweptWriters(readFileSync(join(src, folder, file), "utf8"))))].sort()
}

/**
 * Read from the syntax, so that words in comments, texts and other calls do not count: `await crashPoints(…, { writers: ["…"] })` with the function of
 * @pilothouse/testing, inside a call of test(). That no test is skipped is a rule of the house.
 */
function sweptWriters(text: string): readonly string[] {
  const { program, module } = parseSync("a.test.ts", text)
  const imported = module.staticImports.filter(({ moduleRequest }) => moduleRequest.value === "@pilothouse/testing")
  if (!imported.some(({ entries }) => entries.some(({ localName }) => localName.value === "crashPoints"))) return []
  const found: string[] = []
  let tests = 0
  new Visitor({
    CallExpression: (call) => void (isTest(call) && tests++),
    "CallExpression:exit": (call) => void (isTest(call) && tests--),
    AwaitExpression({ argument }) {
      if (tests > 0 && argument.type === "CallExpression" && isNamed(argument.callee, "crashPoints")) found.push(...writersGiven(argument))
    },
  }).visit(program)
  return found
}

/** `test("…", …)` and `test.each(…)("…", …)`. */
function isTest({ callee }: CallExpression): boolean {
  if (callee.type !== "CallExpression") return isNamed(callee, "test")
  return callee.callee.type === "MemberExpression" && isNamed(callee.callee.object, "test")
}

function isNamed(node: Expression, name: string): boolean {
  return node.type === "Identifier" && node.name === name
}

function writersGiven({ arguments: [, options] }: CallExpression): readonly string[] {
  const properties = options?.type === "ObjectExpression" ? options.properties : []
  return properties.flatMap((property) => {
    if (property.type !== "Property" || property.key.type !== "Identifier" || property.key.name !== "writers") return []
    const elements = property.value.type === "ArrayExpression" ? property.value.elements : []
    return elements.flatMap((one) => (one?.type === "Literal" && typeof one.value === "string" ? one.value : []))
  })
}

test.each<[name: string, text: string, expected: readonly string[]]>([
  [
    "a sweep in a test",
    `test("a", async () => { const report = await crashPoints({ run }, { sample: 1, writers: ["a", "b"] }) })`,
    ["a", "b"],
  ],
  ["one in a row of tests", `test.each([1])("a", async () => { await crashPoints(scenario, { writers: ["a"] }) })`, ["a"]],
  ["a comment", `test("a", async () => { /* await crashPoints(s, { writers: ["a"] }) */ await crashPoints(s) })`, []],
  ["a text", `test("a", async () => { await crashPoints(s); say(\`crashPoints(s, { writers: ["a"] })\`) })`, []],
  ["writers of another call", `test("a", async () => { await crashPoints(s, {}); await other(s, { writers: ["a"] }) })`, []],
  ["a sweep that is not awaited", `test("a", async () => { void crashPoints(s, { writers: ["a"] }) })`, []],
  ["a sweep outside of tests", `async function never() { await crashPoints(s, { writers: ["a"] }) }`, []],
])("%s", (_name, text, expected) => {
  expect(sweptWriters(`import { crashPoints } from "@pilothouse/testing"\n${text}`)).toEqual(expected)
  expect(sweptWriters(`import { crashPoints } from "./mine.ts"\n${text}`)).toEqual([])
})

test("every controller of the table has a folder of its own", async () => {
  const found = await Promise.all(folders.map(descriptorIn))
  expect(found.map(({ name }) => name).sort()).toEqual(controllers.map(({ name }) => name).sort())
})

describe("every controller of the table writes in a scenario of crash points, under the name it runs by", () => {
  test.each(folders)("%s", async (folder) => {
    const { name } = await descriptorIn(folder)
    const made = createControllers({ select: [name], ...given }).map((controller) => controller.name)
    expect(made).not.toEqual([])
    expect(writersIn(folder)).toEqual(made.filter((controller) => !(controller in writeNothing)).sort())
  })
})
