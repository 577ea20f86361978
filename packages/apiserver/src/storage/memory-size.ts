/** Bytes that V8 takes for an object or a list before anything is in it, for a place in one, and for a text before its first letter. */
const [emptySize, slotSize, textSize] = [32, 8, 24]

/** With one such letter every letter of a text takes two bytes. Not asked of short texts: the look would cost more than it is worth. */
const wideLetter = /[^\u0000-\u00ff]/
const shortText = 100

/** Members from which on the size of a frozen object is remembered: another version of the object around it often shares it. */
const manyMembers = 1000
const remembered = new WeakMap<object, number>()
/** Where there is none, none is looked for: that would cost more than most objects take to go through. */
let hasRemembered = false

/** About how many bytes a JSON value takes in memory. What it shares with others counts in full, so two states of one object are less than their sum. */
export function memorySize(value: unknown): number {
  if (typeof value === "string") return textSize + value.length * (value.length > shortText && wideLetter.test(value) ? 2 : 1)
  if (typeof value !== "object" || value === null) return 0
  const known = hasRemembered ? remembered.get(value) : undefined
  if (known !== undefined) return known
  let size = emptySize
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) size += slotSize + memorySize(item)
    members = value.length
  } else {
    // No list of its values: this is asked of every object that is replaced.
    for (const name in value) {
      size += slotSize + memorySize((value as Readonly<Record<string, unknown>>)[name])
      members++
    }
  }
  if (members >= manyMembers && Object.isFrozen(value)) {
    remembered.set(value, size)
    hasRemembered = true
  }
  return size
}
