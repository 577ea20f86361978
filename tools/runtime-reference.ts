import { readFileSync } from "node:fs"
import { join } from "node:path"

const source = join(import.meta.dirname, "..", "packages", "runtime", "src")

export interface Export {
  readonly name: string
  /** "interface", "function"… */
  readonly what: string
  /** Of the file that declares it: "client". */
  readonly folder: string
  /** The first sentence of its comment; "" where it has none. */
  readonly sentence: string
}

const sections: readonly (readonly [folder: string, title: string, text: string])[] = [
  ["controller", "Controllers and plans", "How to write one: [the guide](../guides/write-a-controller.md)."],
  [
    "kinds",
    "Kinds",
    'From `@pilothouse/runtime/kinds`, with zod 4 beside it; a program that does not import it loads neither: `const websites = defineKind({ group: "example.com", version: "v1", kind: "Website", spec: z.object({ … }) })` ([the guide](../guides/custom-resources.md#a-kind-in-typescript)).',
  ],
  ["webhook", "Webhooks", "Admission webhooks beside controllers: [the guide](../guides/webhooks.md)."],
  [
    "defaults.ts",
    "Programs",
    "`await manager({ controllers: [mine] }).main()` is one; `await using server = await defaultTransport()` is the API server that kubectl would speak to.",
  ],
  ["manager", "Managers with everything passed in", "For tests, and for programs that bring a clock, a log or a transport of their own."],
  [
    "client",
    "Client",
    '`const client = createClient(server.transport)`, then `client.get(pods, "default/web")`, `client.list(pods, { labelSelector: "app=web" })`, `client.patch(deployments, "default/web", { spec: { replicas: 0 } })`. Retries, limits, counting and dry runs are layers around the transport: `createClient(retrying(server.transport, { clock, random }))`.',
  ],
  [
    "cache",
    "Informers",
    "`const informers = new Informers({ client, clock, random, log })`, `informers.of(pods).addHandler((change) => …)`, `await informers.run(signal)`. A manager has its own; these are for programs without one.",
  ],
  ["watch", "Watchers", "What an informer reports of its connection."],
  [
    "queue",
    "Work queue and limiters",
    '`queue.add("default/web")`, `const key = await queue.next(signal)`, and when it is over `queue.done(key)`; after a failure `queue.retry(key)` before that. A limiter says how long a key that failed waits: `backoff: () => exponentialLimiter()` in a controller.',
  ],
  [
    "pipeline",
    "Event pipeline",
    "Several handlers per kind, each notified of every event: `manager({ controllers: pipeline({ handlers, clock, random }).controllers })`.",
  ],
  ["chain", "Handler chains", "Handlers of several kinds in one order, one object at a time."],
  [
    "rbac",
    "Rights",
    '`clusterRole({ name: "mine", controllers: [mine], lease: "default/mine" })` is the least ClusterRole of a program; `pilothouse rbac FILE` prints it.',
  ],
  ["http", "Connections", "What `defaultTransport()` gives, and who asks."],
  ["settings", "Controllers with flags", "For programs that run many controllers from a table, as `pilothouse run` does."],
]

/** All that the runtime exports, and its subpath kinds, in the order of their index.ts. */
export function runtimeExports(): readonly Export[] {
  return [...exportsOf("."), ...exportsOf("kinds")]
}

function exportsOf(folder: string): readonly Export[] {
  const index = readFileSync(join(source, folder, "index.ts"), "utf8")
  return [...index.matchAll(/export (?:type )?\{([^}]*)\} from "\.\/([^"]+)"/g)].flatMap(([, names = "", path = ""]) => {
    const file = join(folder, path)
    const text = readFileSync(join(source, file), "utf8")
    const listed = names.split(",").map((name) => name.replace(/\btype\b/, "").trim())
    return listed.filter((name) => name !== "").map((name) => exportOf(name, file, text))
  })
}

function exportOf(name: string, path: string, text: string): Export {
  const declared = new RegExp(`^export (?:async )?(interface|type|class|function|const) ${name}\\b`, "m").exec(text)
  if (declared === null)
    throw new Error(`expected the declaration of ${name} in ${path}, found none; let index.ts name the file that has it`)
  const comment = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(text.slice(0, declared.index))?.[1] ?? ""
  const words = comment
    .replace(/^\s*\* ?/gm, "")
    .replace(/\s+/g, " ")
    .trim()
  return { name, what: declared[1]!, folder: path.split("/")[0]!, sentence: /^.*?\.(?= [A-Z`]|$)/.exec(words)?.[0] ?? words }
}

/** docs/reference/runtime.md */
export function runtimeReference(): string {
  const all = runtimeExports()
  const known = sections.map(([folder]) => folder)
  const lost = all.filter(({ folder }) => !known.includes(folder)).map(({ folder }) => folder)
  if (lost.length > 0)
    throw new Error(`expected a section of docs/reference/runtime.md for every folder, found none for ${lost.join(", ")}`)
  const parts = sections.map(([folder, title, text]) => `## ${title}\n\n${text}\n\n${table(all.filter((one) => one.folder === folder))}`)
  return `# What @pilothouse/runtime exports\n\nWritten by \`npm run reference\` from the comments in the code, which an editor shows too; a test compares.\n\n${parts.join("\n\n")}\n`
}

function table(rows: readonly Export[]): string {
  const sorted = rows.toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1))
  const lines = sorted.map(({ name, what, sentence }) => `| \`${name}\` | ${what} | ${sentence.replaceAll("|", "\\|")} |`)
  return ["| name | what | meaning |", "| --- | --- | --- |", ...lines].join("\n")
}
