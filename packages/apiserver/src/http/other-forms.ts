import { Buffer } from "node:buffer"
import { stringifyJson } from "@pilothouse/seams"
import type { BodyValue } from "./encoded-objects.ts"

/** JSON with line breaks. A list is written item by item: each is the part behind the head of a list that has no other. */
export async function prettyBody({ whole, rest, items }: BodyValue): Promise<Uint8Array> {
  const text = (value: unknown) => stringifyJson(value, 2)
  if (items === undefined) return Buffer.from(text(whole))
  const [open, close] = ['{\n  "items": [\n', "\n  ]\n}"]
  const parts = await items((item) => text({ items: [item] }).slice(open.length, -close.length))
  if (parts.length === 0) return Buffer.from(text({ ...rest, items: [] }))
  const head = text({ ...rest, items: [] })
  return Buffer.from(`${head.slice(0, -"]\n}".length)}\n${parts.join(",\n")}${close}`)
}

/** Few ask for YAML: its library is loaded for the first who does. Readers of YAML 1.1 take a bare time or "on" for something else: those are quoted. */
export async function yamlBody({ whole, rest, items }: BodyValue): Promise<Uint8Array> {
  const { stringify } = await import("yaml")
  const text = (value: unknown) => stringify(value, { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 })
  if (items === undefined) return Buffer.from(text(whole))
  const open = "items:\n"
  const parts = await items((item) => text({ items: [item] }).slice(open.length))
  if (parts.length === 0) return Buffer.from(text({ ...rest, items: [] }))
  const head = text({ ...rest, items: [] })
  return Buffer.from(`${head.slice(0, -"items: []\n".length)}${open}${parts.join("")}`)
}
