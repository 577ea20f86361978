import { goJsonWord } from "@pilothouse/api/patch"

/** Returns why a body that is no object says nothing; undefined is one that is not there. */
export function withoutTypeMeta(value: unknown): string {
  const into = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`
  const why =
    value === undefined ? "unexpected end of JSON input" : `json: cannot unmarshal ${goJsonWord(value)} into Go value of type ${into}`
  return `couldn't get version/kind; json parse error: ${why}`
}
