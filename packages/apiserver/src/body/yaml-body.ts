import { badRequest, requestEntityTooLarge } from "@pilothouse/api"
import { type Clock, messageOf, parseJson } from "@pilothouse/seams"
import type { Pause } from "../request/turns.ts"
import { commonTextOf, yamlTextOf } from "../yaml/yaml-text.ts"
import { checkJsonValueCount, findingLimit } from "./body-limit.ts"
import { cutDeep, tooDeep, workableDepth } from "./json-depth.ts"
import { literalBeyondDouble, numberLiterals } from "./number-literals.ts"
import { type FindStrict, hasDuplicates, strictInYaml } from "./strict-findings.ts"
import { UnrecognizedBody } from "./unrecognized-body.ts"

/** What a text of YAML says, and how to find what it should not have; left out for JSON. */
interface YamlBody {
  readonly value: unknown
  readonly findStrict?: FindStrict
}

/** Bytes. The library needs microseconds for each: a larger body is sent as JSON, as kubectl does. */
const yamlLimit = 256 * 1024

/** Reads a body of YAML. Few send any: its library is loaded for the first who does. */
export async function yamlValue(bytes: Uint8Array, clock: Clock, pause: Pause): Promise<YamlBody> {
  if (bytes.length > yamlLimit) throw requestEntityTooLarge(`limit of YAML is ${yamlLimit} bytes; send JSON`)
  const { readYaml, TooManyTokens, maxTokens } = await clock.external(import("../yaml/read-yaml.ts"), "loading the YAML library")
  try {
    const { value, duplicates } = await readYaml(yamlTextOf(bytes), pause, findingLimit)
    cutDeep(value)
    return { value, findStrict: strictInYaml(duplicates) }
  } catch (error) {
    if (error instanceof TooManyTokens) throw requestEntityTooLarge(`limit of YAML is ${maxTokens} tokens; send JSON`)
    throw new UnrecognizedBody(messageOf(error), bytes)
  }
}

const openBrace = 0x7b

/**
 * Reads the body of server-side apply: YAML, of which JSON is the usual part. A key that stands twice is found by line, so such JSON is read as YAML too.
 */
export async function appliedValue(bytes: Uint8Array, clock: Clock, pause: Pause): Promise<YamlBody> {
  const json = appliedJson(bytes)
  if (json !== undefined) return json
  try {
    return await yamlValue(bytes, clock, pause)
  } catch (error) {
    if (error instanceof UnrecognizedBody) throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
    throw error
  }
}

/** What a JSON text says; undefined where the YAML reader has to judge it. */
function appliedJson(bytes: Uint8Array): YamlBody | undefined {
  if (bytes[0] !== openBrace || tooDeep(bytes, workableDepth) !== undefined) return undefined
  checkJsonValueCount(bytes)
  const text = commonTextOf(bytes)
  if (text === undefined) return undefined
  try {
    const value = parseJson(text, { beyondInt64: "bigint" })
    // A number beyond a double is a text in YAML.
    return hasDuplicates(text, value) || literalBeyondDouble(numberLiterals(text, value)) !== undefined ? undefined : { value }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
