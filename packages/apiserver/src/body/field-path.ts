/** Characters of one key in a path. Keys that the API allows have at most 317. */
const maxKey = 512
/** Characters of a whole path: what is deeper is named by its beginning. */
const maxPath = 2048

/** The path of a field of an object or a key of a map, "spec.template", cut to 2 KiB: a body has as many paths as keys, and each may be as long as the body. */
export function fieldPath(parent: string, key: string): string {
  if (parent.length >= maxPath) return parent
  const shown = key.length > maxKey ? `${key.slice(0, maxKey)}…` : key
  return parent === "" ? shown : `${parent}.${shown}`
}

/** The path of an item of a list, "spec.containers[0]", cut likewise. */
export function itemPath(parent: string, index: number): string {
  return parent.length >= maxPath ? parent : `${parent}[${index}]`
}
