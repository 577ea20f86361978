import type { DiscoveredResource } from "./discovery.ts"
import { folder, type GeneratedFile, notice } from "./generated-file.ts"
import type { Package } from "./packages.ts"

/** One small module per group version, and the table of them. */
export function generateDescriptors(packages: readonly Package[]): GeneratedFile[] {
  const modules = packages.map((one) => ({ path: `${folder}/${one.path}.ts`, content: groupVersionModule(one) }))
  return [...modules, { path: `${folder}/all.descriptors.ts`, content: table(packages) }]
}

function groupVersionModule(one: Package): string {
  const types = `export type * from "./${one.version}.types.ts"\n`
  const resources = resourcesOf(one)
  if (resources.length === 0) return `${notice("descriptors.ts")}${types}export {}\n`
  const kinds = [...new Set(resources.map((resource) => resource.kind))].sort()
  const constants = resources.map(
    (resource) => `export const ${constantName(resource)}: Descriptor<${resource.kind}> = descriptorFromRow("${row(one, resource)}")\n`,
  )
  return [
    notice("descriptors.ts"),
    'import { descriptorFromRow } from "../../schema/descriptor-rows.ts"\n',
    'import type { Descriptor } from "../../schema/descriptor.ts"\n',
    `import type { ${kinds.join(", ")} } from "./${one.version}.types.ts"\n`,
    "\n",
    types,
    "\n",
    ...constants,
  ].join("")
}

/** src/schema/descriptor-rows.ts says what stands where. */
function row(one: Package, resource: DiscoveredResource): string {
  const subresources = one.resources
    .filter((candidate) => candidate.name.startsWith(`${resource.name}/`))
    .map((sub) => [sub.name.slice(resource.name.length + 1), otherKind(one, resource, sub), letters(sub.verbs)].join(":"))
  return [
    one.group === "" ? one.version : `${one.group}/${one.version}`,
    resource.kind,
    resource.name,
    resource.singularName,
    (resource.shortNames ?? []).join(","),
    (resource.categories ?? []).join(","),
    resource.namespaced ? "n" : "c",
    letters(resource.verbs),
    ...subresources,
  ].join(" ")
}

function otherKind(one: Package, resource: DiscoveredResource, sub: DiscoveredResource): string {
  if (sub.kind === resource.kind) return ""
  const { group, version } = sub.version === undefined ? one : { group: sub.group ?? "", version: sub.version }
  return [group, version, sub.kind].filter((part) => part !== "").join("/")
}

const verbLetters: Readonly<Record<string, string>> = {
  create: "c",
  delete: "d",
  deletecollection: "D",
  get: "g",
  list: "l",
  patch: "p",
  update: "u",
  watch: "w",
}

function letters(verbs: readonly string[]): string {
  return verbs
    .map((verb) => {
      const letter = verbLetters[verb]
      if (letter === undefined) throw new Error(`verb ${verb} has no letter; src/schema/descriptor-rows.ts must know it too`)
      return letter
    })
    .join("")
}

/** The plural in camel case: persistentVolumeClaims, apiServices, networkPolicies. metrics.k8s.io's pods are podMetrics. */
export function constantName({ kind, name }: Pick<DiscoveredResource, "kind" | "name">): string {
  const camel = kind.replace(/^(?:[A-Z]+(?=[A-Z][a-z])|[A-Z])/, (start) => start.toLowerCase())
  const lower = kind.toLowerCase()
  let same = 0
  while (same < lower.length && lower[same] === name[same]) same++
  return same < lower.length - 1 ? camel : camel.slice(0, same) + name.slice(same)
}

/** The same rows once more in one module: importing 25 takes five times as long. */
function table(packages: readonly Package[]): string {
  const rows = packages.flatMap((one) => resourcesOf(one).map((resource) => row(one, resource)))
  return [
    notice("descriptors.ts"),
    "/** A row for every resource; the core group first, then by group name. */\n",
    `export const rows = \`${rows.join("\n")}\`\n`,
  ].join("")
}

const resourcesOf = (one: Package): DiscoveredResource[] => one.resources.filter((resource) => !resource.name.includes("/"))
