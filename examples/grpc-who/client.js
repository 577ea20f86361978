// A gRPC client without a proxy: asks xDS where the service is, calls it, and counts who answered.
//   GRPC_XDS_BOOTSTRAP=bootstrap.json node examples/grpc-who/client.js grpc-who.default:9090 9
import * as grpc from "@grpc/grpc-js"
import { register } from "@grpc/grpc-js-xds"

register()
const [target = "grpc-who.default:9090", calls = "9"] = process.argv.slice(2)
const client = new grpc.Client(`xds:///${target}`, grpc.credentials.createInsecure())
const metadata = new grpc.Metadata({ waitForReady: true })

function call() {
  const toBytes = (value) => Buffer.from(value)
  const toText = (bytes) => bytes.toString()
  const options = { deadline: Date.now() + 15_000 }
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest("/example.Who/Who", toBytes, toText, "who is there?", metadata, options, (error, answer) =>
      error === null ? resolve(answer) : reject(error),
    )
  })
}

const answers = {}
for (let index = 0; index < Number(calls); index++) {
  const name = await call()
  answers[name] = (answers[name] ?? 0) + 1
}
console.log(answers)
client.close()
process.exit(0)
