import { quoted } from "@pilothouse/api"
import { emptySet, type FieldSet, isMember, nodeOf, self } from "./field-set.ts"
import { elementValue, keyFields, type PathElement } from "./path-element.ts"

/** From the root of an object to one of its fields or items. */
export type FieldPath = readonly PathElement[]

/** As messages have it: `.spec.containers[name="c"].image`. */
export function pathText(path: FieldPath): string {
  return path.map(elementText).join("")
}

/** One step as messages have it: `.image`, `[containerPort=80,protocol="TCP"]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  switch (element[0]) {
    case "k":
      return `[${keyFields(element)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(",")}]`
    case "v":
      return `[=${valueText(elementValue(element))}]`
    case "i":
      return `[${element.slice(2)}]`
    default:
      return `.${element.slice(2)}`
  }
}

function valueText(value: unknown): string {
  if (typeof value === "string") return quoted(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`
  if (typeof value !== "object" || value === null) return String(value)
  return Object.entries(value)
    .map(([key, inner]) => `${key}=${valueText(inner)}`)
    .join("")
}

/** The set that has these paths as its members, and no others. */
export function setOfPaths(paths: readonly FieldPath[]): FieldSet {
  const root: Tree = { member: false, below: new Map() }
  for (const path of paths) {
    let tree = root
    for (const element of path) {
      const below = tree.below.get(element) ?? { member: false, below: new Map<PathElement, Tree>() }
      tree.below.set(element, below)
      tree = below
    }
    if (path.length > 0) tree.member = true
  }
  return treeNode(root)
}

interface Tree {
  member: boolean
  readonly below: Map<PathElement, Tree>
}

function treeNode({ member, below }: Tree): FieldSet {
  const entries = Array.from(below, ([element, tree]) => [element, treeNode(tree)] as const)
  return entries.length === 0 ? emptySet : nodeOf(member ? [[self, emptySet], ...entries] : entries)
}

/** The members of a set, in upstream's order: those of a node before those below its elements. */
export function pathsOf(set: FieldSet): readonly FieldPath[] {
  const paths: FieldPath[] = []
  collectPaths(set, [], paths)
  return paths
}

function collectPaths(node: FieldSet, prefix: FieldPath, paths: FieldPath[]): void {
  const elements = Object.keys(node).filter((element) => element !== self)
  for (const element of elements) if (isMember(node[element]!)) paths.push([...prefix, element])
  for (const element of elements) collectPaths(node[element]!, [...prefix, element], paths)
}

/** Whether a set has a path as a member. */
export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set
  for (const element of path) node = node === undefined || !Object.hasOwn(node, element) ? undefined : node[element]
  return node !== undefined && isMember(node)
}
