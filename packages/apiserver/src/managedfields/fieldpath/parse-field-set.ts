import { asMember, emptySet, type FieldSet, nodeOf, self } from "./field-set.ts"
import { maxDepth, type PathElement, readElement } from "./path-element.ts"

/**
 * The set that a decoded fieldsV1 says, in the one form that sets have. A node without elements is a member, with "." or without; elements of a kind that
 * is not known are dropped. Throws an Error on anything else that is no set.
 */
export function parseFieldSet(value: unknown): FieldSet {
  const { below } = readNode(value, 0)
  return below
}

interface ReadNode {
  readonly below: FieldSet
  readonly member: boolean
}

function readNode(value: unknown, depth: number): ReadNode {
  if (depth > maxDepth) throw new Error("exceeded max depth")
  if (value === null) return { below: emptySet, member: true }
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new Error(`ReadMapCB: expect { or n, but found ${Array.isArray(value) ? "[" : String(value).slice(0, 20)}`)
  }
  const nodes = new Map<PathElement, FieldSet>()
  let member = false
  for (const key of Object.keys(value)) {
    if (key === self) member = true
    else addElement(nodes, key, (value as Readonly<Record<string, unknown>>)[key], depth)
  }
  return { below: nodes.size === 0 ? emptySet : nodeOf([...nodes]), member: member || nodes.size === 0 }
}

function addElement(nodes: Map<PathElement, FieldSet>, key: string, value: unknown, depth: number): void {
  const element = elementOf(key)
  if (element === undefined) return
  const { below, member } = readNode(value, depth + 1)
  nodes.set(element, member ? asMember(below) : below)
}

function elementOf(key: string): PathElement | undefined {
  try {
    return readElement(key)
  } catch (cause) {
    throw new Error(`parsing key as path element: ${(cause as Error).message}`, { cause })
  }
}
