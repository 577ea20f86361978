import { apiVersionOf, type Descriptor, resourceNameOf } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { closest, PilothouseError } from "@pilothouse/seams"

/** What the user typed: "pods", "deploy/web", "pods web-1 web-2", "deploy,rs". No names: all of them. */
export interface Asked {
  readonly of: Descriptor
  readonly names: readonly string[]
}

/** Throws for names that are invalid whatever the server has, before discovery is requested. */
export function refuseNonsense(words: readonly string[]): void {
  if (words.length === 0) throw new PilothouseError("USAGE", 'expected a resource, such as "pods" or "deployment/web", found nothing')
  if (words.some((word) => word.includes("/"))) for (const word of words) splitName(word)
}

/** Words that cannot mean one object. */
export function refuseMany(words: readonly string[]): void {
  refuseNonsense(words)
  const isOne = words.length === 1 ? words[0]!.includes("/") : words.length === 2 && !words.some((word) => word.includes("/"))
  if (!isOne) throw notOne(words)
}

/** As kubectl reads its arguments; every resource is one that the server has. */
export async function findAsked(client: Client, words: readonly string[]): Promise<readonly Asked[]> {
  refuseNonsense(words)
  const resources = await client.resources()
  if (words.some((word) => word.includes("/"))) return words.map((word) => slashed(resources, word))
  const [kinds = "", ...names] = words
  return kinds.split(",").flatMap((kind) => resourcesNamed(resources, kind).map((of) => ({ of, names })))
}

/** One object: "deployment/web", or the two words. */
export async function findOne(client: Client, words: readonly string[]): Promise<{ readonly of: Descriptor; readonly name: string }> {
  const asked = await findAsked(client, words)
  const [first, ...more] = asked.flatMap(({ of, names }) => names.map((name) => ({ of, name })))
  if (first !== undefined && more.length === 0) return first
  throw notOne(words)
}

function notOne(words: readonly string[]): PilothouseError {
  return new PilothouseError("USAGE", `expected one object, such as "deployment/web", found "${words.join(" ")}"`)
}

function slashed(resources: readonly Descriptor[], word: string): Asked {
  const { kind, name } = splitName(word)
  const [of] = resourcesNamed(resources, kind)
  return { of: of!, names: [name] }
}

function splitName(word: string): { readonly kind: string; readonly name: string } {
  const [kind = "", name = "", ...rest] = word.split("/")
  if (name === "" || rest.length > 0) throw new PilothouseError("USAGE", `expected kind/name, such as "deployment/web", found "${word}"`)
  return { kind, name }
}

/** A category ("all") is several resources; everything else is one, in the version that the server prefers. Never empty. */
function resourcesNamed(resources: readonly Descriptor[], word: string): readonly Descriptor[] {
  const readable = resources.filter(({ verbs }) => verbs.includes("list"))
  const found = readable.find((of) => namesOf(of).includes(word.toLowerCase()))
  if (found !== undefined) return [found]
  const category = readable.filter(({ categories }) => categories.includes(word))
  // What the server has in several versions is one resource.
  if (category.length > 0)
    return category.filter((of, at) => at === category.findIndex((other) => resourceNameOf(other) === resourceNameOf(of)))
  const near = closest(word.toLowerCase(), readable.flatMap(namesOf))
  const hint = near === undefined ? '"pilothouse get --help" has examples' : `did you mean "${near}"?`
  throw new PilothouseError("USAGE", `expected a resource that the server has, found "${word}"; ${hint}`)
}

function namesOf(of: Descriptor): readonly string[] {
  const plain = [of.plural, of.singular, ...of.shortNames, of.kind.toLowerCase()]
  const full = of.group === "" ? [] : [resourceNameOf(of), `${of.plural}.${of.version}.${of.group}`, `${of.singular}.${of.group}`]
  return [...plain, ...full, `${apiVersionOf(of)}/${of.plural}`].map((name) => name.toLowerCase())
}

/** "deployment.apps/web": how kubectl names an object in what it prints. */
export function shownName(of: Pick<Descriptor, "singular" | "group">, name: string): string {
  return `${of.singular}${of.group === "" ? "" : `.${of.group}`}/${name}`
}
