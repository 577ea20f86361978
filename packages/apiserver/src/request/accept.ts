/** What the edge can encode a value as. Protobuf is taken in, never sent: who accepts it accepts JSON too. */
export type MediaType = "application/json" | "application/yaml"

interface Clause {
  readonly type: string
  readonly quality: number
}

/** The best of an Accept header: by quality, and by order where that is equal. */
export function negotiate(accept: string | undefined): MediaType {
  if (accept === undefined || accept === "" || accept.startsWith("application/json")) return "application/json"
  const best = accept
    .split(",")
    .map(readClause)
    .filter(({ type, quality }) => quality > 0 && encodings.has(type))
    .sort((a, b) => b.quality - a.quality)[0]
  return best?.type === "application/yaml" ? "application/yaml" : "application/json"
}

const encodings: ReadonlySet<string> = new Set(["application/json", "application/yaml", "application/*", "*/*"])

function readClause(text: string): Clause {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith("q="))
  return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
}

/** People read what curl, Wget and browsers get; and `?pretty` decides where it is given. */
export function wantsPretty(pretty: string | undefined, userAgent: string | undefined): boolean {
  if (pretty !== undefined && pretty !== "") return /^(1|t|true)$/i.test(pretty)
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "")
}
