import { deepFreeze } from "@pilothouse/api"
import type { FieldSet } from "./fieldpath/index.ts"

/** By their JSON. What is met again after the table was emptied is shared among those that come later. */
const byText = new Map<string, FieldSet>()
const maxKnown = 4096
/** Characters of all of them. */
const maxCharacters = 4 * 1024 * 1024
const held = { characters: 0 }
/** Characters of a set that is worth a place in the table: longer ones are rare, and one manager's alone. */
const maxLength = 16 * 1024

/** By sets that were met before, the shared ones themselves among them. */
const shared = new WeakMap<FieldSet, FieldSet>()

/** Returns the one frozen object that stands for equal sets: ten thousand pods of a template have the same few sets. */
export function sharedSet(set: FieldSet): FieldSet {
  const known = shared.get(set)
  if (known !== undefined) return known
  const found = sharedByText(set)
  shared.set(set, found)
  return found
}

function sharedByText(set: FieldSet): FieldSet {
  const text = JSON.stringify(set)
  if (text.length > maxLength) return deepFreeze(set)
  const found = byText.get(text)
  if (found !== undefined) return found
  if (byText.size >= maxKnown || held.characters > maxCharacters) {
    byText.clear()
    held.characters = 0
  }
  held.characters += text.length
  byText.set(text, deepFreeze(set))
  return set
}
