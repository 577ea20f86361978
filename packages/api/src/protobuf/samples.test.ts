// Bodies that the real kubectl sent (see "client" and "command" in each file), and what its own `--dry-run=client -o json` says of them where it has one.
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { fromBase64 } from "../text/base64.ts"
import { decodeProtobuf } from "./decode.ts"
import { encodeProtobuf } from "./encode.ts"

interface Sample {
  readonly command: string
  readonly base64: string
  readonly expected: unknown
}

const folder = new URL("./samples/", import.meta.url)
const samples = readdirSync(folder).map((name): Sample => JSON.parse(readFileSync(new URL(name, folder), "utf8")))

describe.each(samples)("$command", ({ base64, expected }) => {
  const bytes = fromBase64(base64) as Uint8Array
  test("is decoded", () => expect(decodeProtobuf(bytes)).toEqual(expected))
  test("is encoded to the same bytes", () => expect(encodeProtobuf(expected)).toEqual(bytes))
})
