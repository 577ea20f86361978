// npm run example image-policy: registers the webhooks in the cluster of KUBECONFIG, and answers its API server until Ctrl-C.
import { once } from "node:events"
import { createClient, defaultTransport, serveWebhooks } from "@pilothouse/runtime"
import { systemClock } from "@pilothouse/seams/system"
import { ownRegistry, trustedImages } from "./webhooks.ts"

await using connection = await defaultTransport()
const client = createClient(connection.transport, { userAgent: "image-policy" })
await using served = await serveWebhooks([ownRegistry, trustedImages], { name: "image-policy", client, clock: systemClock })
console.log(`Deployments are checked at ${served.url}; try: kubectl create deployment web --image=docker.io/web`)
await once(process, "SIGINT")
