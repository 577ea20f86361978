/** Of the annotations of cloud-provider-openstack. */
export const prefix = "loadbalancer.openstack.org/"
