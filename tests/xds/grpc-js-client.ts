// A gRPC client without a proxy, in a process of its own: each line of its input, "TARGET COUNT", is that many calls; it answers with one line of JSON.
import { createInterface } from "node:readline"
import * as grpc from "@grpc/grpc-js"
import { register } from "@grpc/grpc-js-xds"

register()
const clients = new Map<string, grpc.Client>()
const asIs = (bytes: Buffer) => bytes

for await (const line of createInterface({ input: process.stdin })) {
  const [target = "", count = "1"] = line.split(" ")
  const answers: Record<string, number> = {}
  for (let index = 0; index < Number(count); index++) {
    const answer = await call(target)
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  console.log(JSON.stringify(answers))
}
process.exit(0)

function call(target: string): Promise<string> {
  const client = clients.get(target) ?? new grpc.Client(`xds:///${target}`, grpc.credentials.createInsecure())
  clients.set(target, client)
  const options = { deadline: Date.now() + 15_000 }
  const metadata = new grpc.Metadata({ waitForReady: true })
  return new Promise((resolve) => {
    client.makeUnaryRequest("/test.Who/Who", asIs, asIs, Buffer.alloc(0), metadata, options, (error, answer) =>
      resolve(error === null ? String(answer) : `error ${error.code} ${error.details}`),
    )
  })
}
