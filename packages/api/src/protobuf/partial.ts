import { PilothouseError } from "@pilothouse/seams"
import { decodeProtobuf, type TypeMeta } from "./decode.ts"
import { protobufContentType } from "./envelope.ts"
import { ProtobufList } from "./list.ts"
import { RecentStrings } from "./recent-strings.ts"
import { type Field, kindMessage, type Message, messageFrom, messageOf, Type } from "./table.ts"
import { decodeWatchFrames, maximumFrame, type WatchFrames } from "./watch.ts"

/** Some fields of a kind: the bytes of all others are passed over, which costs next to nothing. */
export interface PartialKind extends TypeMeta {
  readonly message: Message
  /** Objects of one kind have most of their texts in common. */
  readonly strings: RecentStrings
}

/** A way to read lists, watches and refusals of one kind: what the clients of @pilothouse/runtime take as a form. */
export interface PartialProtobuf {
  readonly contentType: string
  /** Bytes. */
  readonly maximumFrame: number
  events(chunk: Uint8Array): WatchFrames
  value(bytes: Uint8Array): unknown
  /** Reads a list while it comes; `each` receives every item in order. */
  list(each: (item: unknown) => void): ProtobufList
}

type Tree = Map<string, Tree | "whole">

/**
 * A kind of which only these fields are read: "metadata.name", "spec.containers.ports"; the last one of a path is read whole, a list is meant by its
 * items. A required field that is not named is missing, not zero. What is named whole stays whole, whatever else is named below it. Undefined for a
 * kind without protobuf.
 */
export function partialProtobuf({ apiVersion, kind }: TypeMeta, fields: readonly string[]): PartialProtobuf | undefined {
  const message = kindMessage(apiVersion, kind)
  if (message === undefined) return undefined
  const only: PartialKind = { apiVersion, kind, message: partOf(message, treeOf(fields)), strings: new RecentStrings() }
  return {
    contentType: protobufContentType,
    maximumFrame,
    events: (chunk) => decodeWatchFrames(chunk, only),
    value: (bytes) => decodeProtobuf(bytes),
    list: (each) => new ProtobufList(only, each),
  }
}

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = new Map()
  for (const path of paths) add(root, path.split("."))
  return root
}

function add(tree: Tree, [step = "", ...below]: readonly string[]): void {
  const known = tree.get(step)
  if (known === "whole") return
  if (below.length === 0) {
    tree.set(step, "whole")
    return
  }
  const next: Tree = known ?? new Map()
  tree.set(step, next)
  add(next, below)
}

function partOf(message: Message, tree: Tree): Message {
  const fields = Array.from(tree, ([step, below]): Field => {
    const field = message.fields.find(({ name }) => name === step)
    if (field === undefined) throw new PilothouseError("INVALID", `expected a field of ${message.name}, found "${step}"; correct the path`)
    if (below === "whole") return field
    if (field.type === Type.message) return { ...field, message: partOf(messageOf(field), below) }
    throw new PilothouseError("INVALID", `expected ${message.name} ${step} to end a path, found "${[...below.keys()][0]}" below it`)
  })
  return messageFrom(message.name, message.isUnion, fields)
}
