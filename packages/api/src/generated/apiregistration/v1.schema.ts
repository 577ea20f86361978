// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `apiregistration.k8s.io/v1 io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
APIService: @ metadata:.ObjectMeta= spec:APIServiceSpec= status:APIServiceStatus=
APIServiceCondition: lastTransitionTime:t message:s reason:s status*:s= type*:s=
APIServiceList: @ items*:]APIService metadata:.ListMeta=
APIServiceSpec: caBundle:y group:s groupPriorityMinimum*:i= insecureSkipTLSVerify:b service:ServiceReference version:s versionPriority*:i=
APIServiceStatus: conditions:(type)APIServiceCondition&merge:type
ServiceReference: name:s namespace:s port:i
`
