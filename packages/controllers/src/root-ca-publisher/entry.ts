import { descriptor } from "../descriptor.ts"
import { rootCaPublisherController } from "./controller.ts"

export const rootCaPublisherDescriptor = descriptor({
  name: "root-ca-certificate-publisher-controller",
  aliases: ["root-ca-cert-publisher"],
  needs: ["rootCa"],
  create: (_set, { rootCa, metrics }) => rootCaPublisherController({ rootCa, metrics }),
})
