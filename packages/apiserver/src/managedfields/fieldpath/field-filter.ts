import { emptySet, type FieldSet, isMember, nodeOf, recursiveDifference, self } from "./field-set.ts"
import { fieldElement, type PathElement } from "./path-element.ts"

/** What is left of a set, for an endpoint where only some fields count. */
export interface FieldFilter {
  (set: FieldSet): FieldSet
}

/** Everything but the members of a set and what is below them: the reset fields of an endpoint. */
export function excludePaths(set: FieldSet): FieldFilter {
  return (all) => recursiveDifference(all, set)
}

/**
 * Only what a pattern leads to: the paths along it, and everything below its end. `["spec", "containers", "*", "resources"]` has names of fields, and "*"
 * for any element. No pattern at all lets everything through.
 */
export function includePatterns(patterns: readonly (readonly string[])[]): FieldFilter {
  const matcher = matcherOf(patterns.map((pattern) => pattern.map((name) => (name === any ? any : fieldElement(name)))))
  return (set) => matchedElements(set, matcher, false) ?? emptySet
}

const any = "*"

/** By element; undefined where everything matches. */
type Matcher = ReadonlyMap<PathElement, Matcher> | undefined

function matcherOf(patterns: readonly (readonly PathElement[])[]): Matcher {
  if (patterns.length === 0 || patterns.some((pattern) => pattern.length === 0)) return undefined
  const byElement = Map.groupBy(patterns, ([element]) => element!)
  return new Map(Array.from(byElement, ([element, group]) => [element, matcherOf(group.map(([, ...rest]) => rest))] as const))
}

function matchedElements(node: FieldSet, matcher: Matcher, member: boolean): FieldSet | undefined {
  if (matcher === undefined) return node
  const entries: [PathElement, FieldSet][] = member ? [[self, emptySet]] : []
  for (const element of Object.keys(node)) {
    const pattern = matcher.has(any) ? any : element
    if (element === self || !matcher.has(pattern)) continue
    const below = node[element]!
    const left = matchedElements(below, matcher.get(pattern), isMember(below))
    if (left !== undefined) entries.push([element, left])
  }
  if (entries.length > (member ? 1 : 0)) return nodeOf(entries)
  return member ? emptySet : undefined
}
