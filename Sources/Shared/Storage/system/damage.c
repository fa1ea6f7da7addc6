#include "CStorage.h"

// Swift has no thread-local variables.
static _Thread_local bool throws_damage = false;

bool causeway_throws_damage(void) { return throws_damage; }

void causeway_set_throws_damage(bool throws) { throws_damage = throws; }
