import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { CloudFixture } from "@pilothouse/openstack/contract"
import type { HandlersCloud } from "@pilothouse/openstack/contracts/handlers"
import { transportTo } from "@pilothouse/runtime"
import type { Transport } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"

/** What the cloud wrote about itself when it came up: tests/openstack/cloud/seed.ts. */
export type CloudFacts = Readonly<Record<string, string>>

/** The cloud that tests/openstack/main.ts started. */
export function realCloud(): CloudFixture & { readonly facts: CloudFacts } {
  const directory = process.env.PILOTHOUSE_OPENSTACK
  if (directory === undefined)
    throw new Error("expected the directory of a running cloud in PILOTHOUSE_OPENSTACK; use npm run test:openstack")
  const facts = JSON.parse(readFileSync(join(directory, "cloud.json"), "utf8")) as CloudFacts
  const fact = (name: string) => facts[name] ?? ""
  const domain = { id: "default" }
  return {
    facts,
    clock: systemClock,
    access: {
      authUrl: fact("OS_AUTH_URL"),
      region: fact("OS_REGION_NAME"),
      credentials: {
        type: "password",
        user: { name: fact("OS_USERNAME"), domain },
        password: fact("OS_PASSWORD"),
        project: { name: fact("OS_PROJECT_NAME"), domain },
      },
    },
    connect: overHttp,
    place: {
      project: fact("PROJECT"),
      podNetwork: fact("POD_NETWORK"),
      podSubnet: fact("POD_SUBNET"),
      serviceSubnet: fact("SERVICE_SUBNET"),
      publicNetwork: fact("PUBLIC_NETWORK"),
      host: "node1",
    },
    run: (work) => work(),
  }
}

/** What handlers have to know of it. */
export function handlersCloud({ access, connect, place, facts }: ReturnType<typeof realCloud>): HandlersCloud {
  return { access, connect, ...place, nodeSubnet: facts.NODE_SUBNET ?? "", podSecurityGroup: facts.POD_SECURITY_GROUP ?? "" }
}

/** One for each address, made when it is first asked. */
function overHttp(server: string): Transport {
  const made = transportTo({ server, clock: systemClock })
  return async (request) => (await made).transport(request)
}
