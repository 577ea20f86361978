/** What a map of a user holds under a key, and nothing that every object has: asked for "constructor", an object answers with a function. */
export function ownValue<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined
}
