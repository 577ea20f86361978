/** Returns what a map of a user holds under a key. What every object inherits is not returned: "constructor" would be a function. */
export function ownValue<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined
}
