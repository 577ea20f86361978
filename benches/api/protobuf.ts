import { decodeProtobuf, encodeProtobuf } from "@pilothouse/api/protobuf"
import type { Bench, Row } from "../bench.ts"
import { microseconds } from "./measure.ts"
import { pod, size } from "./sample-pod.ts"

export const protobuf: Bench = { name: "what reading a pod from protobuf costs, beside JSON.parse", run: async () => rows() }

function rows(): readonly Row[] {
  const bytes = encodeProtobuf(pod)
  const text = JSON.stringify(pod)
  const textBytes = Buffer.from(text)
  const compact = `${(bytes.length / 1000).toFixed(1)} KB`
  return [
    microseconds({
      what: `pod from ${compact} of protobuf (theirs: JSON.parse of ${size} of text)`,
      ours: () => decodeProtobuf(bytes),
      theirs: () => JSON.parse(text),
    }),
    microseconds({
      what: `pod from ${compact} of protobuf (theirs: JSON.parse of ${size} of bytes, as they come from the wire)`,
      ours: () => decodeProtobuf(bytes),
      theirs: () => JSON.parse(textBytes.toString()),
    }),
  ]
}
