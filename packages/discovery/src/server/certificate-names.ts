/**
 * The URIs among the names of a certificate, of Node's text of them: "DNS:a, URI:spiffe://b". A name with a comma or a quote in it stands there as JSON: cut
 * at commas alone, `DNS:"x, URI:spiffe://b, y"` would be read as the URI that it only looks like. None where the text cannot be read.
 */
export function uriNames(subjectAltName: string): readonly string[] {
  const next = /([^:]*):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y
  const uris: string[] = []
  while (next.lastIndex < subjectAltName.length) {
    const [, kind, value = ""] = next.exec(subjectAltName) ?? []
    if (kind === undefined) return []
    if (kind === "URI") uris.push(value.startsWith('"') ? (JSON.parse(value) as string) : value)
  }
  return uris
}
