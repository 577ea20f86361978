const field = '"managedFields":'
const begin = `${field}[{`
const end = "]"
/** Stands in the text in their place; no server writes a number there. */
const mark = 0

/** What may have managedFields. */
interface Holder {
  metadata?: { managedFields?: unknown }
}

/**
 * Parses the JSON of an object without its metadata.managedFields, which are a fifth of most and would be thrown away as soon as they were parsed.
 * `holder` finds the object in what was parsed. Undefined where the text is not JSON.
 *
 * The first managedFields of the text are taken for its metadata's, and the next bracket for their end. Then it shows whether that was so: the mark
 * that was put in their place has to stand in the metadata; and a bracket that is no end (in a string, of a list in a list) leaves quotes or brackets
 * that do not match. In both cases the whole text is parsed.
 */
export function parseWithoutManagedFields(text: string, holder: (value: unknown) => unknown): unknown {
  const short = shortened(text)
  if (short === undefined) return parsed(text)
  const value = parsed(short)
  const object = (value === undefined ? undefined : holder(value)) as Holder | null | undefined
  if (object?.metadata?.managedFields !== mark) return parsed(text)
  const { managedFields: _, ...metadata } = object.metadata
  object.metadata = metadata
  return value
}

function shortened(text: string): string | undefined {
  const at = text.indexOf(begin)
  const to = at < 0 ? -1 : text.indexOf(end, at)
  return to < 0 ? undefined : text.slice(0, at + field.length) + mark + text.slice(to + end.length)
}

/** Undefined where it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
