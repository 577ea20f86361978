/** A path inside a value, as messages write it: `spec.ports[0]`, `labels[app]`. The empty text is the value itself. */
export const fieldPath = {
  child: (path: string, name: string): string => (path === "" ? name : `${path}.${name}`),
  key: (path: string, key: string): string => `${path}[${key}]`,
  index: (path: string, index: number): string => `${path}[${index}]`,
}
