import { loop } from "../loop.ts"
import { rootCaPublisherController } from "./controller.ts"

export const rootCaPublisherLoop = loop({
  name: "root-ca-certificate-publisher-controller",
  aliases: ["root-ca-cert-publisher"],
  needs: ["rootCa"],
  create: (_set, { rootCa, metrics }) => rootCaPublisherController({ rootCa, metrics }),
})
